#include "metrics/diversity.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace headwater;

namespace {
using Lines = std::vector<std::string>;
}  // namespace

TEST_CASE("distinct n-grams of all texts together, by the number of tokens") {
  const Diversity counted = diversity_of(Lines{"a b a b", "b a c"});
  CHECK(counted.tokens == 7);
  CHECK(counted.distinct[0] == 3);  // a b c
  CHECK(counted.distinct[1] == 3);  // ab ba ac; none across the texts
  CHECK(counted.distinct[2] == 3);  // aba bab bac
  CHECK(counted.distinct[3] == 1);  // abab
  CHECK(counted.distinct_share(1) == doctest::Approx(3.0 / 7));
  CHECK(counted.distinct_share(4) == doctest::Approx(1.0 / 7));
}

TEST_CASE("repetition is the mean share of 4-grams that stood in their text before") {
  // five 4-grams, two different: abab baba; the second text has one, the third none
  const Diversity counted = diversity_of(Lines{"a b a b a b a b", "a b c d", "a b"});
  REQUIRE(counted.repeated.size() == 3);
  CHECK(counted.repeated[0] == doctest::Approx(0.6));
  CHECK(counted.repeated[1] == 0);
  CHECK(counted.repeated[2] == 0);
  CHECK(counted.texts_with_ngrams == 2);
  CHECK(counted.repetition() == doctest::Approx(0.3));
}

TEST_CASE("capitals and marks count as BLEU's tokens do") {
  const Lines texts = {"The cat, the cat."};
  CHECK(diversity_of(texts).tokens == 6);
  CHECK(diversity_of(texts).distinct[0] == 5);
  CHECK(diversity_of(texts, {.is_lowercased = true}).distinct[0] == 4);
  CHECK(diversity_of(texts, {.tokenization = BleuTokenization::none}).tokens == 4);
  CHECK(diversity_signature({.is_lowercased = true}) == "case:lc|tok:13a|version:headwater-0.1.0");
}

TEST_CASE("no text and empty texts have neither") {
  for (const Lines& texts : {Lines{}, Lines{"", ""}}) {
    const Diversity counted = diversity_of(texts);
    CHECK(counted.tokens == 0);
    CHECK(counted.distinct_share(1) == 0);
    CHECK(counted.repetition() == 0);
  }
}
