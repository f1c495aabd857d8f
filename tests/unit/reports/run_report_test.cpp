#include "reports/run_report.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "error_text.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

Expectation expect(const char* metric, double value, Comparison compare,
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
  recipe.expected = {expect("test_accuracy", 0.88, Comparison::at_least),
                     expect("validation_accuracy", 0.9, Comparison::at_least),  // training judges it
                     expect("bleu", 17, Comparison::near, 0.5), expect("test_loss", 0.3, Comparison::at_most),
                     expect("chrf", 40, Comparison::at_least)};  // not measured
  const std::vector<std::pair<std::string, double>> figures = {
      {"test_loss", 0.31}, {"test_accuracy", 0.885}, {"bleu", 16.75}, {"bleu", 3}};
  const std::vector<JudgedExpectation> judged = judge_expectations(recipe, figures);
  CHECK(expectations_text(judged, false) ==
        "\nmetric         expected   reached  state\n"
        "-------------  ---------  -------  ------\n"
        "test_accuracy  >= 0.88      0.885  ok\n"
        "bleu           17 +- 0.5    16.75  ok\n"
        "test_loss      <= 0.3        0.31  missed\n");
  REQUIRE(judged.size() == 3);
  CHECK(
      judged[1].json().dump() ==
      R"({"version":1,"metric":"bleu","expected":17.0,"compare":"near","tolerance":0.5,"reached":16.75,"state":"ok"})");
  CHECK(expectations_text({}, false).empty());
  CHECK(judge_expectations(recipe, std::span<const std::pair<std::string, double>>()).empty());
}

TEST_CASE("the rows that end a run: figures over padded positions only where they are expected") {
  RunFigures run;
  run.best_epoch = 2;
  run.epochs = 3;
  run.validation_loss = 1.25;
  run.validation_accuracy = 0.5;
  run.reference_loss = 0.75;
  run.reference_accuracy = 0.875;
  run.figures = {{"validation_macro_f1", 0.625}, {"validation_roc_auc", std::nullopt}};
  run.training_loss = 1.5;
  run.training_accuracy = 0.75;
  run.training_reference_loss = 1.125;
  run.seconds_an_epoch = 12.34;
  run.tokens_per_second = 340000.75;
  Recipe recipe;
  const std::string plain = score_table(run_rows(recipe, run, 650689));
  CHECK(plain ==
        "metric                 value  details\n"
        "-------------------  -------  -------------------------\n"
        "validation_loss       1.2500  of the best epoch, 2 of 3\n"
        "validation_accuracy   0.5000  of the best epoch, 2 of 3\n"
        "validation_macro_f1   0.6250  of the best epoch, 2 of 3\n"
        "training_loss         1.5000  of the last epoch\n"
        "training_accuracy     0.7500  of the last epoch\n"
        "parameters           650,689\n"
        "seconds_an_epoch        12.3\n"
        "tokens_a_second      340,000\n");
  run.waiting_share = 0.0125;
  CHECK(score_table(run_rows(recipe, run, 650689)).find("waiting_share         0.0125  of the time, for") !=
        std::string::npos);
  run.truncated = 1200;
  CHECK(score_table(run_rows(recipe, run, 650689))
            .find("truncated_lines        1,200  of the training data, cut") != std::string::npos);
  const std::string json = scores_text(run_rows(recipe, run, 650689), true);
  CHECK(json.find(R"({"version":1,"metric":"validation_loss","score":1.25,"epoch":2})") != std::string::npos);
  CHECK(json.find(R"({"version":1,"metric":"parameters","score":650689})") != std::string::npos);
  CHECK(json.find(R"({"version":1,"metric":"tokens_a_second","score":340000.75})") != std::string::npos);
  CHECK(json.find("reference") == std::string::npos);
  recipe.expected = {expect("reference_accuracy", 0.9, Comparison::at_least),
                     expect("validation_roc_auc", 0.9, Comparison::at_least),
                     expect("seconds_an_epoch", 20, Comparison::at_most),
                     expect("test_loss", 1, Comparison::at_most),
                     expect("training_accuracy", 0.8, Comparison::at_least)};
  const std::string whole = score_table(run_rows(recipe, run, 650689));
  CHECK(whole.find("reference_loss            0.7500  of the best epoch, 2 of 3; divided by all positions") !=
        std::string::npos);
  CHECK(whole.find("reference_accuracy        0.8750") != std::string::npos);
  CHECK(whole.find("training_reference_loss   1.1250  of the last epoch; divided by all positions") !=
        std::string::npos);
  const std::vector<JudgedExpectation> judged = judge_expectations(recipe, run, 650689);
  REQUIRE(judged.size() == 4);
  CHECK(judged[0].state == "missed");
  CHECK(judged[3].expectation.metric == "training_accuracy");
  CHECK(judged[3].state == "missed");
  CHECK(
      judged[1].json().dump() ==
      R"({"version":1,"metric":"validation_roc_auc","expected":0.9,"compare":"at_least","reached":null,"state":"missed"})");
  CHECK(judged[2].state == "ok");
  // A run that validated nothing has sizes only.
  CHECK(score_table(run_rows(recipe, {}, 7)) ==
        "metric      value  details\n----------  -----  -------\nparameters      7\n");
  CHECK(judge_expectations(recipe, {}, 7).empty());
}

TEST_CASE("an expectation is met within its tolerance, or on its side") {
  const auto judged = [](Comparison compare, double reached) {
    return judge(expect("x", 2, compare, 0.25), reached);
  };
  CHECK(judged(Comparison::near, 2.25) == "ok");
  CHECK(judged(Comparison::near, 1.7) == "missed");
  CHECK(judged(Comparison::near, NAN) == "missed");
  CHECK(judged(Comparison::at_least, 2) == "ok");
  CHECK(judged(Comparison::at_least, 1.999) == "missed");
  CHECK(judged(Comparison::at_most, 2) == "ok");
  CHECK(judged(Comparison::at_most, 2.001) == "missed");
  CHECK(judged(Comparison::at_most, NAN) == "missed");
}

TEST_CASE("the best epoch of a log is that of the recipe's metric, the first of equals") {
  const ScratchDirectory scratch;
  write_file(scratch / "log.csv",
             "step,epoch,tokens,loss,validation_loss,validation_accuracy,reference_loss,reference_accuracy,"
             "validation_macro_f1,validation_roc_auc,seconds,tokens_per_second,waiting_share\n"
             "1,1,10,1,0.5,0.5,0,0,0.25,0.875,1,10,0.5\n"
             "2,2,10,1,0.75,0.625,0,0,0.5,0.75,1,10,0.25\n"
             "3,2,10,1,,,,,,,1,10,1\n"
             "4,3,10,1,1.5,0.5,0,0,0.5,0.9375,2,5,0\n");
  const auto best = [&](const char* metric) { return read_run(scratch.path(), metric).best_epoch; };
  CHECK(best("loss") == 1);
  CHECK(best("perplexity") == 1);
  CHECK(best("accuracy") == 2);
  CHECK(best("macro_f1") == 2);
  CHECK(best("roc_auc") == 3);
  CHECK(read_run(scratch.path(), "loss").waiting_share == 0.1875);  // by time: 0.75 of 4 s
  CHECK(read_run(scratch.path(), "accuracy").seconds_to_best == 2);
  CHECK(read_run(scratch.path(), "roc_auc").seconds_to_best == 4);
  CHECK(read_run(scratch.path(), "roc_auc").figures ==
        std::vector<std::pair<std::string, std::optional<double>>>{{"validation_macro_f1", 0.5},
                                                                   {"validation_roc_auc", 0.9375}});
  CHECK(!read_run(scratch.path(), "loss").training_reference_loss);  // an older log
}

TEST_CASE("accuracy, and the loss over padded positions, in training are those of the last epoch") {
  const ScratchDirectory scratch;
  write_file(scratch / "log.csv",
             "step,epoch,tokens,loss,accuracy,validation_loss,validation_accuracy,reference_loss,"
             "reference_accuracy,training_reference_loss,seconds,tokens_per_second\n"
             "1,1,10,1,0.25,0.5,0.5,0,0,0.75,1,10\n"
             "2,2,10,1,0.375,0.5,0.5,0,0,0.5,1,10\n");
  CHECK(read_run(scratch.path(), "loss").training_reference_loss == 0.5);
  CHECK(read_run(scratch.path(), "loss").training_accuracy == 0.375);
}

TEST_CASE("figures over padded batches are those of the last epoch, and judged where they are expected") {
  const ScratchDirectory scratch;
  write_file(scratch / "log.csv",
             "step,epoch,tokens,loss,validation_loss,validation_accuracy,training_padded_loss,"
             "training_padded_accuracy,seconds,tokens_per_second\n"
             "1,1,10,1,0.5,0.5,0.75,0.25,1,10\n"
             "2,2,10,1,0.5,0.5,0.5,0.375,1,10\n");
  const RunFigures run = read_run(scratch.path(), "loss");
  CHECK(run.training_padded == std::vector<std::pair<std::string, double>>{
                                   {"training_padded_loss", 0.5}, {"training_padded_accuracy", 0.375}});
  CHECK(run.training_losses.empty());
  Recipe recipe;
  const auto names = [&] {
    std::string all;
    for (const ScoreRow& row : run_rows(recipe, run, 1)) all += row.name + " ";
    return all;
  };
  CHECK(names().find("padded") == std::string::npos);
  recipe.expected = {{"training_padded_accuracy", 0.34, 0.03, Comparison::near, "a tutorial"}};
  CHECK(names().find("training_padded_accuracy ") != std::string::npos);
  CHECK(judge_expectations(recipe, run, 1).at(0).state == "missed");
}

TEST_CASE("a run without validation has epochs and what they cost, and no best one") {
  const ScratchDirectory scratch;
  const fs::path path = scratch.path() / "log.csv";
  write_file(path,
             "step,epoch,tokens,loss,validation_loss,validation_accuracy,seconds,tokens_per_second\n"
             "10,1,100,3,,,1,100\n"
             "15,1,150,2.5,,,1.5,100\n"
             "20,2,50,1.5,,,1,50\n"
             "30,2,150,1.25,,,3,50\n");
  const RunFigures run = read_log(path, "loss");
  CHECK(run.epochs == 2);
  CHECK(!run.has_validation());
  CHECK(run.training_loss == 1.25);
  CHECK(run.seconds_an_epoch == doctest::Approx(2.25));
  Recipe recipe;
  recipe.expected = {expect("training_loss", 1.3, Comparison::at_most),
                     expect("validation_loss", 9, Comparison::at_most)};
  for (const ScoreRow& row : run_rows(recipe, run, 7)) CHECK(!row.name.starts_with("validation_"));
  const std::vector<JudgedExpectation> judged = judge_expectations(recipe, run, 7);
  REQUIRE(judged.size() == 1);
  CHECK(judged[0].state == "ok");
}

TEST_CASE("a log that was joined or cut is refused by line, and a row that is being written is left out") {
  const ScratchDirectory scratch;
  const fs::path path = scratch.path() / "log.csv";
  const std::string log =
      "step,epoch,tokens,loss,validation_loss,validation_accuracy,seconds,tokens_per_second\n"
      "10,1,100,3,0.5,0.5,1,100\n";
  const auto said = [&](const std::string& text) {
    write_file(path, text);
    return error_text([&] { (void)read_log(path, "loss"); });
  };
  CHECK(said(log + log) == path.string() + ":3: \"epoch\" in column \"epoch\" is not a number");
  CHECK(said(log + "20,2,100\n") == path.string() + ":3: 3 fields where the first line has 8");
  write_file(path, log + "20,2,100,2,0.4");
  CHECK(read_log(path, "loss").epochs == 1);
}
