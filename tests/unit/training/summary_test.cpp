#include "training/summary.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "scratch_directory.hpp"
#include "support/files.hpp"

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

TEST_CASE("the best epoch of a log is that of the recipe's metric, the first of equals") {
  const ScratchDirectory scratch;
  write_file(scratch / "log.csv",
             "step,epoch,tokens,loss,validation_loss,validation_accuracy,reference_loss,reference_accuracy,"
             "validation_macro_f1,validation_roc_auc,seconds,tokens_per_second\n"
             "1,1,10,1,0.5,0.5,0,0,0.25,0.875,1,10\n"
             "2,2,10,1,0.75,0.625,0,0,0.5,0.75,1,10\n"
             "3,2,10,1,,,,,,,1,10\n"
             "4,3,10,1,1.5,0.5,0,0,0.5,0.9375,1,10\n");
  const auto best = [&](const char* metric) { return read_run(scratch.path(), metric).best_epoch; };
  CHECK(best("loss") == 1);
  CHECK(best("perplexity") == 1);
  CHECK(best("accuracy") == 2);
  CHECK(best("macro_f1") == 2);
  CHECK(best("roc_auc") == 3);
  CHECK(read_run(scratch.path(), "roc_auc").figures ==
        std::vector<std::pair<std::string, std::optional<double>>>{{"validation_macro_f1", 0.5},
                                                                   {"validation_roc_auc", 0.9375}});
}
