#include "metrics/chrf.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"

using namespace headwater;

namespace {

using Lines = std::vector<std::string>;

double chrf(const Lines& hypotheses, const std::vector<Lines>& references,
            const ChrfSettings& settings = {}) {
  return corpus_chrf(hypotheses, references, settings);
}

}  // namespace

TEST_CASE("identical text scores 100, disjoint and empty text 0") {
  CHECK(chrf({"the red house"}, {{"the red house"}}) == doctest::Approx(100));
  CHECK(chrf({"the red house"}, {{"the red house"}}, {.word_order = 2}) == doctest::Approx(100));
  CHECK(chrf({"xyz"}, {{"abc"}}) == 0);
  CHECK(chrf({""}, {{"abc"}}) == 0);
  CHECK(chrf({"abc"}, {{""}}) == 0);
  CHECK(chrf({""}, {{""}}) == 0);
}

TEST_CASE("characters are code points, white space does not count") {
  CHECK(chrf({"a\u00A0ñ b"}, {{"añb"}}) == doctest::Approx(100));
  // orders 1 and 2 of two characters each: 1 of 2 and 0 of 1 match on both sides
  CHECK(chrf({"añ"}, {{"aé"}}) == doctest::Approx(25));
}

TEST_CASE("recall counts more than precision") {
  // order 1: 2 of 2 precision, 2 of 4 recall; order 2: 1 of 1, 1 of 3
  const double precision = 1, recall = (0.5 + 1.0 / 3) / 2;
  CHECK(chrf({"ab"}, {{"abcd"}}) == doctest::Approx(100 * 5 * precision * recall / (4 * precision + recall)));
  CHECK(chrf({"abcd"}, {{"ab"}}) > chrf({"ab"}, {{"abcd"}}));
}

TEST_CASE("words set one mark apart, at the end rather than at the beginning") {
  const ChrfSettings words{.character_order = 1, .word_order = 1};
  // equal characters in each pair: the word order alone makes the difference
  CHECK(chrf({"hi)"}, {{"hi )"}}, words) == doctest::Approx(100));
  CHECK(chrf({"(hi"}, {{"( hi"}}, words) == doctest::Approx(100));
  CHECK(chrf({"(hi)"}, {{"( hi )"}}, words) < 99);
}

TEST_CASE("each line takes its best reference") {
  const Lines hypotheses = {"one two", "three four"};
  CHECK(chrf(hypotheses, {{"one two", "zzz"}, {"yyy", "three four"}}) == doctest::Approx(100));
  CHECK(chrf(hypotheses, {{"one two", "zzz"}}) < 90);
}

TEST_CASE("one score a line") {
  const std::vector<double> scores = sentence_chrf(Lines{"abc", "x"}, std::vector<Lines>{{"abc", "y"}});
  REQUIRE(scores.size() == 2);
  CHECK(scores[0] == doctest::Approx(100));
  CHECK(scores[1] == 0);
}

TEST_CASE("lower-casing, names, signatures") {
  CHECK(chrf({"ÁB"}, {{"áb"}}, {.is_lowercased = true}) == doctest::Approx(100));
  CHECK(chrf_signature({}, 1) == "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:headwater-0.1.0");
  CHECK(chrf_signature({.word_order = 2, .is_lowercased = true}, 2) ==
        "nrefs:2|case:lc|eff:yes|nc:6|nw:2|space:no|version:headwater-0.1.0");
  CHECK(chrf_name({}) == "chrF2");
  CHECK(chrf_name({.word_order = 2}) == "chrF2++");
}

TEST_CASE("wrong calls") {
  CHECK_THROWS_WITH_AS(chrf({"a"}, {{"a", "b"}}), doctest::Contains("1 hypotheses, but 2 lines"), Error);
  CHECK_THROWS_AS(chrf({"a"}, {{"a"}}, {.character_order = 7}), UsageError);
}
