// Bags of words: n-grams, tables of terms, what a line becomes, and what a damaged table says.
#include "data/ngram_vocabulary.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "data/ngram_vocabulary_learner.hpp"
#include "error_text.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"
#include "text/tokenizer/token_lines.hpp"

using namespace headwater;

namespace {

std::vector<std::string> ngrams_of(std::string_view line, std::size_t most) {
  TokenRow row;
  row.read(line);
  std::vector<std::string> all;
  for_each_ngram(row, most, [&](std::string_view ngram) { all.emplace_back(ngram); });
  return all;
}

NgramVocabulary learn(const std::vector<std::string>& lines, const NgramVocabulary::Settings& settings,
                      std::int64_t size) {
  NgramVocabularyLearner learner(settings, size);
  for (const std::string& line : lines) learner.add(line);
  return learner.finish();
}

std::string row_of(const NgramVocabulary& table, std::string_view line, TermOutput output) {
  TokenRow row;
  row.read(line);
  std::vector<TermValue> values;
  table.values(row, output, values);
  std::string text;
  append_term_values(text, values, output);
  return text;
}

// The inverse document frequency: tf-idf of a text that has the term once. [UNK]: of a token that is none.
float weight_of(const NgramVocabulary& table, std::int32_t id) {
  TokenRow row;
  row.read(id == 0 ? "unheard" : table.term(id).ngram);
  std::vector<TermValue> values;
  table.values(row, TermOutput::tf_idf, values);
  const auto at = std::ranges::find(values, id, &TermValue::term);
  REQUIRE(at != values.end());
  return at->value;
}

// Lines over few words, so that n-grams repeat; a fifth of them empty or of one word.
std::vector<std::string> made_lines(std::size_t count) {
  std::vector<std::string> lines;
  const char* const words[] = {"a", "b", "c", "dd", "e\\\\", "\u2581", "ö", "[UNK]"};
  for (std::size_t i = 0; i < count; ++i) {
    const auto random = [&](std::size_t element) {
      return std::size_t{random_word(
          {.seed = 5, .purpose = Purpose::split, .step = static_cast<std::uint32_t>(i)}, element)};
    };
    std::string line;
    const std::size_t length = i % 5 == 0 ? i % 2 : 3 + random(0) % 12;
    for (std::size_t w = 0; w < length; ++w) {
      const std::size_t a = random(2 * w + 1) % std::size(words), b = random(2 * w + 2) % std::size(words);
      line += (line.empty() ? "" : " ") + std::string(words[std::min(a, b)]);
    }
    lines.push_back(line);
  }
  return lines;
}

// The definition, with maps and vectors of strings.
struct Naive {
  std::map<std::string, std::uint64_t> count, documents;
  std::vector<std::string> vocabulary{"[UNK]"};

  Naive(const std::vector<std::string>& lines, std::size_t most, std::size_t size) {
    for (const std::string& line : lines) {
      std::set<std::string> seen;
      for (const std::string& ngram : grams(line, most)) {
        ++count[ngram];
        seen.insert(ngram);
      }
      for (const std::string& ngram : seen) ++documents[ngram];
    }
    std::vector<std::pair<std::uint64_t, std::string>> order;
    for (const auto& [ngram, n] : count) {
      if (ngram != "[UNK]") order.emplace_back(n, ngram);
    }
    std::sort(order.rbegin(), order.rend());
    for (const auto& [n, ngram] : order) {
      if (vocabulary.size() < size) vocabulary.push_back(ngram);
    }
  }
  static std::vector<std::string> grams(const std::string& line, std::size_t most) {
    const std::vector<std::string> tokens = tokens_of_line(line);
    std::vector<std::string> all;
    for (std::size_t length = 1; length <= most; ++length) {
      for (std::size_t i = 0; i + length <= tokens.size(); ++i) {
        std::string joined = tokens[i];
        for (std::size_t k = 1; k < length; ++k) joined += " " + tokens[i + k];
        all.push_back(joined);
      }
    }
    return all;
  }
};

}  // namespace

TEST_CASE("n-grams: all single tokens, then all pairs, then all triples") {
  CHECK(ngrams_of("a b c", 1) == std::vector<std::string>{"a", "b", "c"});
  CHECK(ngrams_of("  a  b c ", 3) == std::vector<std::string>{"a", "b", "c", "a b", "b c", "a b c"});
  CHECK(ngrams_of("a b c", 9).size() == 6);
  CHECK(ngrams_of("", 2).empty());
  CHECK(ngrams_of("\u2581 \\\\", 2) == std::vector<std::string>{"\u2581", "\\\\", "\u2581 \\\\"});
  CHECK(plain_ngram("\u2581 \\\\ \\\u2581") == "  \\ \u2581");
}

TEST_CASE("a table of terms: most frequent first, ties by bytes descending") {
  const NgramVocabulary table = learn({"b a", "a c", "", "c a"}, {.ngrams = 2}, 5);
  REQUIRE(table.size() == 5);
  CHECK(table.documents() == 4);
  CHECK(table.term(0).ngram == "[UNK]");
  CHECK(table.term(1).ngram == "a");
  CHECK(table.term(2).ngram == "c");
  CHECK(table.term(3).ngram == "c a");  // once each: "c a", "b a", "b", "a c"
  CHECK(table.term(4).ngram == "b a");
  CHECK(table.term(1).documents == 3);
  CHECK(table.find("c a") == 3);
  CHECK(table.find("a c") == 0);
  CHECK(table.find("[UNK]") == 0);
  CHECK(static_cast<double>(weight_of(table, 1)) == doctest::Approx(std::log(1 + 4.0 / 4)));
  double sum = 0;
  for (std::int32_t id = 1; id < 5; ++id) sum += static_cast<double>(weight_of(table, id));
  CHECK(static_cast<double>(weight_of(table, 0)) == doctest::Approx(sum / 4).epsilon(1e-7));
}

TEST_CASE("a line becomes its terms, by ascending id") {
  const NgramVocabulary table = learn({"b a", "a c", "", "c a"}, {.ngrams = 2}, 5);
  CHECK(row_of(table, "c a c a z", TermOutput::multi_hot) == "0 1 2 3");
  CHECK(row_of(table, "c a c a z", TermOutput::count) == "0:3 1:2 2:2 3:2");
  CHECK(row_of(table, "", TermOutput::count).empty());
  CHECK(row_of(table, "a", TermOutput::tf_idf) == "1:0.6931472");
}

TEST_CASE(
    "sublinear-tf-idf: (1 + ln n) times the inverse document frequency, scaled to length 1, without [UNK]") {
  const NgramVocabulary table = learn({"b a", "a c", "", "c a"}, {.ngrams = 1}, 5);
  TokenRow row;
  row.read("c a c z c");
  std::vector<TermValue> values;
  table.values(row, TermOutput::sublinear_tf_idf, values);
  REQUIRE(values.size() == 2);
  const double a = std::log(1 + 4.0 / 4), c = (1 + std::log(3.0)) * std::log(1 + 4.0 / 3);
  CHECK(values[0].term == table.find("a"));
  CHECK(values[1].term == table.find("c"));
  CHECK(static_cast<double>(values[0].value) == doctest::Approx(a / std::hypot(a, c)).epsilon(1e-6));
  CHECK(static_cast<double>(values[1].value) == doctest::Approx(c / std::hypot(a, c)).epsilon(1e-6));
  CHECK(row_of(table, "z z", TermOutput::sublinear_tf_idf) == "0:0");
  CHECK(row_of(table, "", TermOutput::sublinear_tf_idf).empty());
}

TEST_CASE("learning and rows agree with their definition") {
  const std::vector<std::string> lines = made_lines(400);
  for (const std::size_t most : {1u, 2u, 3u, 9u}) {
    for (const std::size_t size : {2u, 7u, 1000000u}) {
      INFO("up to ", most, " tokens, ", size, " terms");
      const Naive naive(lines, most, size);
      const NgramVocabulary table =
          learn(lines, {.ngrams = static_cast<std::int64_t>(most)}, static_cast<std::int64_t>(size));
      REQUIRE(static_cast<std::size_t>(table.size()) == naive.vocabulary.size());
      std::map<std::string, std::int32_t> ids;
      for (std::int32_t id = 1; id < table.size(); ++id) {
        const std::string plain = plain_ngram(table.term(id).ngram);
        CHECK(plain == naive.vocabulary[id]);
        CHECK(table.term(id).documents == naive.documents.at(plain));
        ids[plain] = id;
      }
      std::vector<float> weights;
      for (std::int32_t id = 0; id < table.size(); ++id) weights.push_back(weight_of(table, id));
      for (const std::string& line : lines) {
        std::map<std::int32_t, std::int64_t> counts;
        for (const std::string& ngram : Naive::grams(line, most))
          ++counts[ids.contains(ngram) ? ids[ngram] : 0];
        TokenRow row;
        row.read(line);
        std::vector<TermValue> values;
        table.values(row, TermOutput::count, values);
        REQUIRE(values.size() == counts.size());
        std::size_t at = 0;
        for (const auto& [id, count] : counts) {
          CHECK(values[at].term == id);
          CHECK(values[at].value == static_cast<float>(count));
          ++at;
        }
        table.values(row, TermOutput::tf_idf, values);
        for (const TermValue& v : values)
          CHECK(v.value == static_cast<float>(counts[v.term]) * weights[v.term]);
      }
    }
  }
}

TEST_CASE("the same table for any order of the lines and any number of threads") {
  const std::vector<std::string> lines = made_lines(2000);
  const std::vector<std::string> reversed(lines.rbegin(), lines.rend());
  for (const std::int64_t ngrams : {2, 5}) {
    const NgramVocabulary::Settings settings{.ngrams = ngrams, .output = TermOutput::tf_idf};
    const std::string expected = learn(lines, settings, 50).to_text();
    CHECK(learn(reversed, settings, 50).to_text() == expected);
    for (const int threads : {1, 2, 8}) {
      NgramVocabularyLearner learner(settings, 50);
      ThreadPool(threads).run([&] {
        parallel_for(static_cast<std::int64_t>(lines.size()),
                     [&](std::int64_t i) { learner.add(reversed[i]); });
      });
      CHECK(learner.finish().to_text() == expected);
    }
  }
}

TEST_CASE("a table's file reads back equal") {
  const NgramVocabulary table =
      learn({"e\\\\ \u2581", "\\\u2581 \\t", "x"}, {.ngrams = 2, .output = TermOutput::count}, 100);
  const NgramVocabulary again = NgramVocabulary::parse(table.to_text(), "t");
  CHECK(again.to_text() == table.to_text());
  CHECK(again.settings() == table.settings());
  CHECK(again.hash() == table.hash());
  CHECK(NgramVocabulary::parse("\xEF\xBB\xBF" + table.to_text(), "t").to_text() == table.to_text());
  CHECK(again.find("\\\u2581 \\t") == table.find("\\\u2581 \\t"));
}

TEST_CASE("tokens that are no term are unknown, whatever pairs they make") {
  const NgramVocabulary table = learn({"a b", "a b"}, {.ngrams = 2}, 100);
  TokenRow row;
  row.read("b a c a c");
  CHECK(table.counts(row) == TokenCounts{5, 2});
  CHECK(table.counts(TokenRow{}) == TokenCounts{});
}

TEST_CASE("what a damaged table says") {
  const std::string start = "#terms v1 ngrams=1 documents=3 output=count\n[UNK]\t0\n";
  const auto said = [](const std::string& text) {
    return error_text([&] { NgramVocabulary::parse(text, "t"); });
  };
  CHECK(said(start + "a\t3\n") == "(no error)");
  CHECK(said(start + "a\t3\r\nb\t1") == "(no error)");
  CHECK(said("") ==
        "t:1: not a table of terms (a table of terms begins with \"#terms v1 ngrams=N "
        "documents=D output=FORM\")");
  CHECK(said("#terms v2\n").starts_with("t:1: version \"v2\", this program knows v1"));
  CHECK(said("#terms v1 ngrams=1 documents=3\n").starts_with("t:1: the header is incomplete"));
  for (const char* word : {"ngrams=0", "ngrams=101", "ngrams=x", "documents=0", "documents=-1",
                           "documents=18446744073709551616", "output=tfidf", "colour=red", "ngrams"}) {
    INFO(word);
    CHECK(said("#terms v1 " + std::string(word) + "\n").starts_with("t:1: \"" + std::string(word) + "\" in"));
  }
  CHECK(said(start) == "t: no terms (each line is a term, a TAB and the number of documents that hold it)");
  CHECK(said("#terms v1 ngrams=1 documents=3 output=count\na\t1\n") ==
        "t:2: the first term is \"a\", not \"[UNK]\"");
  CHECK(said(start + "a\t4\n") == "t:3: 4 documents hold \"a\", but there are 3");
  CHECK(said(start + "a\t1\na\t1\n") == "t:4: the term \"a\" stands twice");
  CHECK(said(start + "a b\t1\n") == "t:3: \"a b\" has 2 tokens, more than ngrams=1");
  for (const char* line : {"a", "a\t", "a\tb", "a\t-1", "\t1", " a\t1", "a \t1", "a\t1\t1", ""}) {
    INFO(line);
    CHECK(said(start + line + "\n").starts_with("t:3: "));
  }
  CHECK(said(start + "a\\q\t1\n").starts_with("t:3:2: a backslash that escapes nothing"));
  CHECK(said(start + "\xFF\t1\n").starts_with("t:3: invalid UTF-8"));
}

TEST_CASE("learning refuses what makes no sense") {
  CHECK_THROWS_AS(NgramVocabularyLearner({.ngrams = 0}, 5), UsageError);
  CHECK_THROWS_AS(NgramVocabularyLearner({.ngrams = 1}, 1), UsageError);
  NgramVocabularyLearner learner({}, 5);
  learner.add("");
  CHECK(error_text([&] { learner.add("a\tb"); }).starts_with("2: a TAB"));
  CHECK(error_text([&] { learner.finish(); }) == "no tokens to learn from (the input is empty)");
}
