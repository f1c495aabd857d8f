#include "text/learning/bpe_learner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "support/error.hpp"
#include "support/random.hpp"
#include "text/models/bpe.hpp"
#include "text/models/word_piece.hpp"

using namespace headwater;

namespace {

using Counted = std::map<std::string, std::uint64_t>;

WordTable table_of(const Counted& words, bool is_reversed = false) {
  WordTable table;
  std::vector<std::pair<std::string, std::uint64_t>> all(words.begin(), words.end());
  if (is_reversed) std::reverse(all.begin(), all.end());
  for (const auto& [word, count] : all) table.value(word) = count;
  return table;
}

// The definition: all pairs are counted anew before each merge. Characters are letters.
BpeVocabulary naive_learner(const Counted& words, std::size_t size) {
  BpeVocabulary learned;
  std::map<char, std::int32_t> letters;
  for (const auto& [word, count] : words) {
    for (const char c : word) letters[c] = 0;
  }
  for (auto& [letter, id] : letters) {
    id = static_cast<std::int32_t>(learned.surfaces.size());
    learned.surfaces.emplace_back(1, letter);
  }
  std::vector<std::pair<std::vector<std::int32_t>, std::uint64_t>> texts;
  for (const auto& [word, count] : words) {
    texts.push_back({{}, count});
    for (const char c : word) texts.back().first.push_back(letters[c]);
  }
  while (learned.surfaces.size() < size) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> pairs;
    for (const auto& [symbols, count] : texts) {
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i) pairs[{symbols[i], symbols[i + 1]}] += count;
    }
    if (pairs.empty()) break;
    const auto best = std::max_element(pairs.begin(), pairs.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto [left, right] = best->first;
    std::string surface = learned.surfaces[left];
    surface += learned.surfaces[right];
    const auto found = std::find(learned.surfaces.begin(), learned.surfaces.end(), surface);
    const auto joined = static_cast<std::int32_t>(found - learned.surfaces.begin());
    if (found == learned.surfaces.end()) learned.surfaces.push_back(surface);
    learned.merges.emplace_back(left, right);
    for (auto& [symbols, count] : texts) {
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
        if (symbols[i] != left || symbols[i + 1] != right) continue;
        symbols[i] = joined;
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
    }
  }
  return learned;
}

using Surfaces = std::vector<std::string>;

}  // namespace

TEST_CASE("byte-pair merges are those that counting anew before each gives, in any order of the words") {
  for (std::uint32_t round = 0; round < 60; ++round) {
    const RandomStream random{.seed = 5, .purpose = Purpose::sample, .step = round};
    Counted words;
    for (std::uint64_t w = 0; w < 5 + round; ++w) {
      std::string word;
      const std::size_t length = 1 + random_below(random, 100 * w, 14);
      for (std::uint64_t i = 0; i < length; ++i)
        word += static_cast<char>('a' + random_below(random, 100 * w + 1 + i, 2 + round % 4));
      words[word] += 1 + random_below(random, 100 * w + 50, 20);
    }
    const std::size_t size = 8 + round;
    const BpeLearnerSettings settings{.size = static_cast<std::int64_t>(size), .special_tokens = {}};
    const BpeVocabulary wanted = naive_learner(words, size), learned = learn_bpe(table_of(words), settings),
                        reversed = learn_bpe(table_of(words, true), settings);
    CHECK(learned.surfaces == wanted.surfaces);
    CHECK(learned.merges == wanted.merges);
    CHECK(reversed.surfaces == wanted.surfaces);
    CHECK(reversed.merges == wanted.merges);
    for (const std::uint64_t places : {0, 1, 20, 100}) {  // the lists are made anew again and again
      BpeLearnerSettings few = settings;
      few.most_places = places;
      CHECK(learn_bpe(table_of(words), few).merges == wanted.merges);
    }
    const Bpe bpe(learned.surfaces, learned.merges, {});  // takes what was learned
    std::vector<std::int32_t> ids;
    for (const auto& [word, count] : words) bpe.encode(word, ids);
    CHECK(!ids.empty());
  }
}

TEST_CASE("counts beyond what a word has room for") {
  const std::uint64_t large = (std::uint64_t{1} << 24) - 1;
  BpeLearnerSettings settings;
  settings.size = 5;
  for (const std::uint64_t count : {large - 1, large, large + 1, large * large}) {
    INFO(count);
    const BpeVocabulary learned = learn_bpe(table_of({{"ab", count}, {"bc", count + 1}}), settings);
    CHECK(learned.surfaces == Surfaces{"a", "b", "c", "bc", "ab"});
  }
}

TEST_CASE("special tokens come first and text never becomes one") {
  BpeLearnerSettings settings;
  settings.size = 9;
  settings.special_tokens = {"[PAD]", "ab", "a"};
  const BpeVocabulary learned = learn_bpe(table_of({{"abc", 9}, {"bcbc", 3}}), settings);
  CHECK(learned.surfaces == Surfaces{"[PAD]", "ab", "a", "b", "c", "bc", "bcbc"});
}

TEST_CASE("characters with prefix and suffix have tokens of their own") {
  BpeLearnerSettings settings;
  settings.size = 100;
  settings.continuing_subword_prefix = "##";
  settings.end_of_word_suffix = "</w>";
  const BpeVocabulary learned = learn_bpe(table_of({{"bab", 5}}), settings);
  CHECK(learned.surfaces == Surfaces{"a", "b", "##a", "##b</w>", "ba", "bab</w>"});
  CHECK(learned.merges == std::vector<Bpe::Merge>{{1, 2}, {4, 3}});
}

TEST_CASE("a byte-level vocabulary has every byte") {
  BpeLearnerSettings settings;
  settings.size = 258;
  settings.is_byte_level = true;
  const BpeVocabulary learned = learn_bpe(table_of({{" é", 5}, {"\xFF", 1}}), settings);
  CHECK(learned.surfaces.front() == "!");
  CHECK(learned.surfaces[256] == "Ã©");
  CHECK(learned.surfaces[257] == "ĠÃ©");
}

TEST_CASE("rare characters and rare pairs can be left out") {
  BpeLearnerSettings settings;
  settings.size = 100;
  settings.max_characters = 2;
  settings.min_frequency = 4;
  const BpeVocabulary learned = learn_bpe(table_of({{"ab", 5}, {"xba", 3}}), settings);
  CHECK(learned.surfaces == Surfaces{"a", "b", "ab"});
}

TEST_CASE("no token is longer than the bound, however long a word is") {
  const BpeVocabulary learned = learn_bpe(table_of({{std::string(8 * kMostTokenBytes, 'a'), 1}}), {});
  REQUIRE(learned.surfaces.size() == 17);  // 2^0 to 2^16 letters
  CHECK(learned.surfaces.back().size() == kMostTokenBytes);
}

TEST_CASE("what cannot be learned from is refused") {
  BpeLearnerSettings settings;
  CHECK_THROWS_AS(learn_bpe(WordTable(), settings), Error);
  settings.size = 1;
  CHECK_THROWS_AS(learn_bpe(table_of({{"ab", 5}}), settings), UsageError);
  settings.size = 10;
  CHECK_THROWS_AS(learn_bpe(table_of({{"ab", std::uint64_t{1} << 62}}), settings), Error);
  settings.special_tokens = {"x", "x"};
  CHECK_THROWS_AS(learn_bpe(table_of({{"ab", 5}}), settings), Error);
}

namespace headwater {

TEST_CASE("WordPiece learns merges of characters, with ## inside words") {
  WordTable counts;
  counts.value("hug") = 10;
  counts.value("pug") = 5;
  counts.value("pun") = 12;
  counts.value("bun") = 4;
  counts.value("hugs") = 5;
  const std::vector<std::string> surfaces = learn_word_piece(counts, {.size = 14});
  CHECK(surfaces.size() == 14);
  CHECK(surfaces[0] == "[UNK]");
  CHECK(std::find(surfaces.begin(), surfaces.end(), "##ug") != surfaces.end());
  CHECK(std::find(surfaces.begin(), surfaces.end(), "##un") != surfaces.end());
  const WordPiece model(surfaces, {});
  std::vector<std::int32_t> ids;
  model.encode("bugs", ids);
  for (const std::int32_t id : ids) CHECK(id > 0);
  ids.clear();
  model.encode("cat", ids);
  CHECK(ids == std::vector<std::int32_t>{0});
}

TEST_CASE("WordPiece refuses a piece of thousands of others, whose table would be its square") {
  const auto model_of = [](std::size_t length) {
    return WordPiece({"[UNK]", "x" + std::string(length, 'a'), "##a", "x"}, {.max_characters = 1u << 20});
  };
  std::vector<std::int32_t> ids;
  model_of(1000).encode("x" + std::string(1500, 'a'), ids);
  CHECK(ids.size() == 501);
  CHECK_THROWS_WITH_AS((void)model_of(8000),
                       "vocabulary: its long pieces take too many short ones for WordPiece", Error);
}

}  // namespace headwater
