#include "families/masked_lm/train_texts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "support/error.hpp"
#include "text/learning/tokenizer_learner.hpp"

using namespace headwater;

namespace {

using Ids = std::vector<std::int32_t>;
constexpr std::int32_t kStart = 2, kEnd = 3, kVocabulary = 2000;

// A word for each id from 5 on.
const Tokenizer& tokenizer() {
  static const Tokenizer made = [] {
    TokenizerLearner learner({.size = kVocabulary, .text_template = TextTemplate::bert});
    for (std::int32_t id = 5; id < kVocabulary; ++id) learner.add("w" + std::to_string(id) + "\n");
    return learner.finish();
  }();
  return made;
}

PairTemplate pair() { return pair_template(tokenizer(), 20, "t.json"); }

// Documents of so many sentences, each of `words` words; no id stands twice, and an id says where it is from.
struct Documents {
  DocumentDataset data{{.name = "source", .vocabulary = kVocabulary}};
  std::vector<std::size_t> document_of = std::vector<std::size_t>(kVocabulary);

  explicit Documents(const std::vector<int>& sentences, int words = 4) {
    std::int32_t id = 5;
    for (std::size_t document = 0; document < sentences.size(); ++document) {
      for (int s = 0; s < sentences[document]; ++s) {
        std::string line;
        for (int w = 0; w < words; ++w) {
          document_of[id] = document;
          line += (w == 0 ? "" : " ") + std::to_string(id++);
        }
        data.add_line(line, "file:1");
      }
      data.add_line("", "file:1");
    }
    data.finish("file", false);
  }
  SentencePairs pairs(std::int64_t length) const {
    return {{.dataset = &data, .indices = {}}, tokenizer(), pair(), length};
  }
};

RandomStream stream(std::uint32_t epoch, std::uint32_t name) {
  return {.seed = 3, .purpose = Purpose::masking, .layer = name, .step = epoch};
}

struct Parts {
  Ids first, second;
};
Parts parts_of(const PairedText& text) {
  const auto middle = std::find(text.segment_of.begin(), text.segment_of.end(), 1) - text.segment_of.begin();
  REQUIRE(text.ids.front() == kStart);
  REQUIRE(text.ids[static_cast<std::size_t>(middle) - 1] == kEnd);
  REQUIRE(text.ids.back() == kEnd);
  return {{text.ids.begin() + 1, text.ids.begin() + middle - 1},
          {text.ids.begin() + middle, text.ids.end() - 1}};
}

}  // namespace

TEST_CASE("runs are whole sentences that fill the length, none of one sentence") {
  // Room for 12 ids, three sentences.
  CHECK(Documents({3, 3}).pairs(15).count() == 2);
  CHECK(Documents({6, 1}).pairs(15).count() == 2);  // one sentence is no run
  CHECK(Documents({4, 1}).pairs(15).count() == 1);  // the fourth joins the run before
  CHECK(Documents({5, 2}).pairs(15).count() == 2 + 1);
  CHECK(Documents({4, 2}, 20).pairs(15).count() == 2 + 1);  // two sentences, however long they are
}

TEST_CASE("a pair is a run that is parted anew in each epoch, or has another document's second text") {
  const Documents documents({4, 7, 5, 9, 2, 1});
  const SentencePairs pairs = documents.pairs(23);
  PairedText text, again;
  double random = 0, read = 0;
  std::map<std::size_t, std::set<std::size_t>> splits;
  std::set<std::size_t> others;
  for (std::uint32_t epoch = 0; epoch < 400; ++epoch) {
    for (std::uint32_t i = 0; i < pairs.count(); ++i) {
      pairs.read(i, stream(epoch, pairs.name(i)), text);
      REQUIRE(static_cast<std::int64_t>(text.ids.size()) <= pairs.most_tokens(i));
      const auto [first, second] = parts_of(text);
      REQUIRE(!first.empty());
      REQUIRE(!second.empty());
      const auto from = [&](std::int32_t id) { return documents.document_of[id]; };
      // Ids of a text are consecutive, as in its document.
      for (const Ids& part : {first, second}) {
        for (std::size_t k = 1; k < part.size(); ++k) {
          REQUIRE(part[k] == part[k - 1] + 1);
          REQUIRE(from(part[k]) == from(part[0]));
        }
      }
      if (text.is_random) {
        REQUIRE(from(first[0]) != from(second[0]));
        others.insert(from(second[0]));
        REQUIRE((second[0] - 5) % 4 == 0);  // whole sentences, as where it follows
        REQUIRE(second.size() % 4 == 0);
      } else {
        REQUIRE(from(first[0]) == from(second[0]));
        REQUIRE(first.back() < second.front());
        if (text.ids.size() < 23) {
          REQUIRE(first.back() + 1 == second.front());
          splits[i].insert(first.size());
        }
      }
      random += text.is_random ? 1 : 0;
      read += 1;
    }
  }
  CHECK(std::abs(random - read / 2) <= 3 * std::sqrt(read / 4));
  CHECK(others.size() == 6);  // that of one sentence, too
  CHECK(splits[0].size() == 3);
}

TEST_CASE("what is drawn for a pair depends on its stream, not on what is held out") {
  const Documents documents({4, 7, 5, 9, 2, 1});
  const SentencePairs all = documents.pairs(23);
  const SentencePairs some({.dataset = &documents.data, .indices = {1, 2, 4}, .is_all = false}, tokenizer(),
                           pair(), 23);
  PairedText text, again;
  std::size_t equal = 0;
  for (std::uint32_t epoch = 0; epoch < 20; ++epoch) {
    for (std::uint32_t i = 0; i < some.count(); ++i) {
      std::uint32_t j = 0;
      while (all.name(j) != some.name(i)) ++j;
      all.read(j, stream(epoch, some.name(i)), text);
      some.read(i, stream(epoch, some.name(i)), again);
      CHECK(text.is_random == again.is_random);
      if (text.is_random) continue;
      CHECK(text.ids == again.ids);
      CHECK(text.segment_of == again.segment_of);
      ++equal;
    }
  }
  CHECK(equal > 0);
  // Second texts come from the subset.
  for (std::uint32_t epoch = 0; epoch < 100; ++epoch) {
    for (std::uint32_t i = 0; i < some.count(); ++i) {
      some.read(i, stream(epoch, some.name(i)), text);
      const std::size_t from = documents.document_of[parts_of(text).second[0]];
      CHECK((from == 1 || from == 2 || from == 4));
    }
  }
}

TEST_CASE("pairs need a document of two sentences, and another one") {
  CHECK_THROWS_WITH_AS(Documents({5}).pairs(20), doctest::Contains("are one document"), UsageError);
  CHECK_THROWS_WITH_AS(Documents({1, 1, 1}).pairs(20), doctest::Contains("no document of two sentences"),
                       Error);
  CHECK(SentencePairs({}, tokenizer(), pair(), 20).count() == 0);
}
