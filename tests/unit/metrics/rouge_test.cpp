#include "metrics/rouge.hpp"

#include <doctest/doctest.h>
#include <algorithm>
#include <string>

#include "error_text.hpp"

using namespace headwater;

namespace {

using Lines = std::vector<std::string>;

RougeScores rouge(const std::string& hypothesis, const Lines& references,
                  const RougeSettings& settings = {}) {
  std::vector<Lines> sets;
  for (const std::string& reference : references) sets.push_back({reference});
  return sentence_rouge(Lines{hypothesis}, sets, settings).front();
}

// The table of lengths.
std::int64_t naive_length(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::int64_t> above(b.size() + 1, 0), row(b.size() + 1, 0);
  for (const std::uint32_t symbol : a) {
    for (std::size_t j = 0; j < b.size(); ++j)
      row[j + 1] = symbol == b[j] ? above[j] + 1 : std::max(above[j + 1], row[j]);
    above.swap(row);
  }
  return above.back();
}

}  // namespace

TEST_CASE("words are runs of ASCII letters and digits of the lower-cased text") {
  CHECK(rouge_tokens("Don't  stop-2.5 me!", {}) == Lines{"don", "t", "stop", "2", "5", "me"});
  CHECK(rouge_tokens("na\u00EFve caf\u00E9", {}) == Lines{"na", "ve", "caf"});
  CHECK(rouge_tokens("20\u212A \u0130stanbul x\u0130", {}) == Lines{"20k", "i", "stanbul", "xi"});
  CHECK(rouge_tokens("", {}).empty());
  CHECK(rouge_tokens("\u4F60\u597D \u2014 !", {}).empty());
}

TEST_CASE("stemming is of words of more than three letters") {
  CHECK(rouge_tokens("The dogs used his libraries", {.is_stemmed = true}) ==
        Lines{"the", "dog", "use", "his", "librari"});
}

TEST_CASE("precision, recall and F1 of n-grams and of the longest common subsequence") {
  // the example of Lin 2004, sec. 3: ROUGE-L tells two candidates with the same bigrams apart
  const std::string reference = "police killed the gunman";
  const RougeScores first = rouge("police kill the gunman", {reference});
  const RougeScores second = rouge("the gunman kill police", {reference});
  CHECK(first[0].f1 == doctest::Approx(0.75));
  CHECK(first[1].f1 == doctest::Approx(1.0 / 3));
  CHECK(first[2].f1 == doctest::Approx(0.75));
  CHECK(second[1].f1 == doctest::Approx(1.0 / 3));
  CHECK(second[2].f1 == doctest::Approx(0.5));
  const RougeScores uneven = rouge("a b a", {"a a a a b"});
  CHECK(uneven[0].precision == doctest::Approx(1));
  CHECK(uneven[0].recall == doctest::Approx(0.6));
  CHECK(uneven[2].precision == doctest::Approx(2.0 / 3));
}

TEST_CASE("empty sides score 0, also against each other") {
  for (const auto& [hypothesis, reference] :
       {std::pair{"", ""}, std::pair{"word", ""}, std::pair{"", "word"}, std::pair{"!", "?"}}) {
    for (const RougeScore& score : rouge(hypothesis, {reference})) {
      CHECK(score.precision == 0);
      CHECK(score.recall == 0);
      CHECK(score.f1 == 0);
    }
  }
}

TEST_CASE("each figure takes its best reference") {
  const RougeScores scores = rouge("a b c", {"c b a", "a b x"});
  CHECK(scores[0].f1 == doctest::Approx(1));    // of the first
  CHECK(scores[1].f1 == doctest::Approx(0.5));  // of the second
  CHECK(scores[2].f1 == doctest::Approx(2.0 / 3));
}

TEST_CASE("the mean is over lines") {
  const Lines hypotheses = {"a", "b"};
  const RougeScores mean = mean_rouge(sentence_rouge(hypotheses, std::vector<Lines>{{"a", "x"}}));
  CHECK(mean[0].f1 == doctest::Approx(0.5));
}

TEST_CASE("subsequences of 64 at a time are those of the table") {
  CommonSubsequence subsequence;
  CHECK(subsequence.length({}, {}) == 0);
  std::uint32_t state = 7;
  const auto below = [&](std::uint32_t n) {
    return (state = state * 1664525 + 1013904223, (state >> 8) % n);
  };
  for (const std::uint32_t symbols : {1U, 2U, 5U, 40U, 1000U}) {
    for (const std::uint32_t size : {1U, 63U, 64U, 65U, 128U, 300U}) {
      std::vector<std::uint32_t> a(size), b(1 + below(2 * size));
      for (std::uint32_t& symbol : a) symbol = below(symbols);
      for (std::uint32_t& symbol : b) symbol = below(symbols + 3);
      INFO(symbols, " symbols, ", a.size(), " and ", b.size());
      CHECK(subsequence.length(a, b) == naive_length(a, b));
    }
  }
}

TEST_CASE("texts without end are refused, not counted for hours") {
  std::string words;
  for (int i = 0; i < 1100000; ++i) words += "a ";
  const std::string line = error_text([&] { rouge(words, {words}); });
  CHECK(line.find("rouge: line 1: 1,100,000 words against 1,100,000 words are too long") !=
        std::string::npos);
}
