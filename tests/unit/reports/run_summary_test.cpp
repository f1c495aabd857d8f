// The paragraph at the top of a run's page: each sentence from a fact.
#include "reports/run_summary.hpp"

#include <doctest/doctest.h>

#include "families/registry.hpp"

using namespace headwater;

namespace {

struct Run {
  Recipe recipe =
      parse_recipe("model: {width: 16, heads: 2, length: 20, dropout: 0.1}\ntraining: {epochs: 3}\n", "r");
  RunFigures figures;
  std::vector<LearningCurve::Point> epochs{{1, 2.0, 1.5}, {2, 1.5, 1.2}, {3, 1.2, 1.1}};
  NamedFigures test;
  JudgedRun judged;
  RunMessages messages;

  Run() {
    figures.epochs = 3;
    figures.best_epoch = 3;
    figures.seconds_an_epoch = 20;
    figures.validation_loss = 1.1;
    figures.validation_accuracy = 0.7;
  }
  std::string text() const {
    return run_summary(
        {recipe, "toy", "a translator", "translate", figures, 650689, test, epochs, judged, messages});
  }
  bool says(std::string_view part) const { return text().find(part) != std::string::npos; }
};

}  // namespace

TEST_CASE("what was run, what came out, what to try next") {
  Run run;
  run.messages.examples = "90 training pairs, 10 held out for validation";
  run.test = {{"loss", 1.25}, {"accuracy", 0.68}};
  CHECK(
      run.text() ==
      "toy is a translator with 650,689 parameters. Its data: 90 training pairs, 10 held out for validation. "
      "It trained for 3 epochs, which took 60 s. Epoch 3 was the best: validation loss 1.1000, accuracy "
      "0.7000. "
      "On the test data: loss 1.2500, accuracy 0.6800. "
      "To try next: more training.epochs (3), because the last epoch was the best.");
}

TEST_CASE("advice follows from the run") {
  Run run;
  SUBCASE("a run that overfits") {
    run.epochs = {{1, 1.0, 1.0}, {2, 0.5, 0.8}, {3, 0.1, 1.3}};
    run.figures.best_epoch = 2;
    CHECK(run.says(
        "a higher model.dropout (0.1), fewer epochs or more data, because it overfits: at the end the "
        "training loss is 0.1000 and the validation loss 1.3000"));
  }
  SUBCASE("a run that does not learn") {
    run.epochs = {{1, 2.0, 2.0}, {2, 2.0, 2.0}, {3, 1.99, 2.0}};
    CHECK(run.says("another training.optimizer.learning_rate"));
  }
  SUBCASE("texts that were cut") {
    run.messages.warnings = {"data: 3 lines truncated to the model's length"};
    CHECK(run.says("a higher model.length (20), because texts were truncated"));
  }
  SUBCASE("a run that has not ended") {
    run.recipe.training.epochs = 9;
    CHECK(run.says("run the same command again, which goes on to epoch 9."));
  }
  SUBCASE("an expectation that was missed") {
    run.figures.best_epoch = 2;
    run.judged.lines = {{"bleu >= 20", "18.5", "missed"}, {"loss <= 2", "1.1", "ok"}};
    CHECK(
        run.says(" It missed what the recipe expects: bleu >= 20, reached 18.5. To try next: another seed"));
  }
  SUBCASE("a run that failed gives its reason, and no other advice") {
    run.messages.failed = "step 7: the loss is nan (lower training.optimizer.learning_rate)";
    CHECK(run.says(" The run failed: step 7: the loss is nan (lower training.optimizer.learning_rate)."));
    CHECK(!run.says("To try next"));
  }
}

TEST_CASE("a linear model is solved: there is no epoch to go on to, and none is the best") {
  Run run;
  run.recipe = parse_recipe("{data: {columns: [source, label]}, model: {kind: linear, C: 3}}", "r");
  run.figures.epochs = run.figures.best_epoch = 1;
  run.figures.seconds_an_epoch = 0.01;
  run.epochs = {{1, 1.0, 1.1}};
  CHECK(
      run.text() ==
      "toy is a translator, a linear model over terms with 650,689 parameters. Its weights are those of the "
      "least loss; they were found in less than 0.1 s. On the validation data: loss 1.1000, accuracy 0.7000. "
      "To try next: other values of model.C (3), which take as short a time (headwater run --array "
      "model.C=0.1,1,10).");
  run.epochs = {{1, 0.1, 1.1}};
  CHECK(run.says("To try next: a lower model.C (3) or more data, because it overfits"));
}

TEST_CASE("warnings stand below the paragraph") {
  Run run;
  run.messages.warnings = {"data: 2 with an empty side skipped"};
  const PageParts parts = summary_parts(
      {run.recipe, "toy", "a translator", "translate", run.figures, {}, {}, {}, {}, run.messages});
  REQUIRE(parts.size() == 3);
  CHECK(parts[1].text == "warnings");
  CHECK(parts[2].text == "data: 2 with an empty side skipped\n");
}
