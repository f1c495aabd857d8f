#include "training/summary.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace headwater;

namespace {

Expectation expect(const char* metric, double value, const char* compare,
                   std::optional<double> tolerance = {}) {
  Expectation expectation;
  expectation.metric = metric;
  expectation.value = value;
  expectation.compare = compare;
  expectation.tolerance = tolerance;
  return expectation;
}

}  // namespace

TEST_CASE("expectations about test data: the first figure of each name, and nothing else") {
  Recipe recipe;
  recipe.expected = {expect("test_accuracy", 0.88, "at_least"),
                     expect("validation_accuracy", 0.9, "at_least"),  // training judges it
                     expect("bleu", 17, "near", 0.5), expect("test_loss", 0.3, "at_most"),
                     expect("chrf", 40, "at_least")};  // not measured
  const std::vector<std::pair<std::string, double>> figures = {
      {"loss", 0.31}, {"accuracy", 0.885}, {"bleu", 16.75}, {"bleu", 3}};
  CHECK(table_of_expectations(recipe, figures) ==
        "metric\texpected\treached\tstate\n"
        "test_accuracy\t>= 0.88\t0.885\tok\n"
        "bleu\t17 +- 0.5\t16.75\tok\n"
        "test_loss\t<= 0.3\t0.31\tmissed\n");
  CHECK(table_of_expectations(recipe, {}).empty());
}

TEST_CASE("an expectation is met within its tolerance, or on its side") {
  const auto judged = [](const char* compare, double reached) {
    return judge(expect("x", 2, compare, 0.25), reached);
  };
  CHECK(judged("near", 2.25) == "ok");
  CHECK(judged("near", 1.7) == "missed");
  CHECK(judged("near", NAN) == "missed");
  CHECK(judged("at_least", 2) == "ok");
  CHECK(judged("at_least", 1.999) == "missed");
  CHECK(judged("at_most", 2) == "ok");
  CHECK(judged("at_most", 2.001) == "missed");
  CHECK(judged("at_most", NAN) == "missed");
}
