#include "reports/classification_report.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "error_text.hpp"

using namespace headwater;

namespace {

double score_of(const ClassificationReport& report, const std::string& metric) {
  for (const ScoreRow& row : report.rows()) {
    if (row.json.at("metric").as_string() == metric) return row.json.at("score").as_number();
  }
  return NAN;
}

}  // namespace

TEST_CASE("predictions with probabilities: every figure of two classes") {
  LabelledPredictions predictions;
  predictions.add("pos\t0.9", "pos");
  predictions.add("neg\t0.6\tpos\t0.4", "pos");
  predictions.add("neg\t0.8", "neg");
  predictions.add("pos\t0.7", "neg");
  const ClassificationReport report = predictions.finish();
  CHECK(report.labels == std::vector<std::string>{"neg", "pos"});
  CHECK(score_of(report, "accuracy") == 0.5);
  CHECK(score_of(report, "macro_f1") == 0.5);
  CHECK(score_of(report, "roc_auc") == 0.75);  // 0.9 and 0.4 against 0.2 and 0.7
  CHECK(score_of(report, "loss") ==
        doctest::Approx(-(std::log(0.9) + std::log(0.4) + std::log(0.8) + std::log(0.3)) / 4));
  CHECK(report.confusion.count(1, 0) == 1);
  CHECK(report.rows({"accuracy"}).size() == 1);
  std::string json;
  report.write_json([&](std::string_view text) { json += text; });
  CHECK(
      json.ends_with("}\n"
                     R"({"version":1,"classes":["neg","pos"],"confusion":[[1,1],[1,1]]})"
                     "\n"));
}

TEST_CASE("labels alone, more classes, numbers by value") {
  LabelledPredictions predictions;
  predictions.add("10", "10");
  predictions.add("9", "10");
  predictions.add("9", "2");
  const ClassificationReport report = predictions.finish();
  CHECK(report.labels == std::vector<std::string>{"2", "9", "10"});
  CHECK_FALSE(report.loss.has_value());
  CHECK_FALSE(report.roc_auc.has_value());
  CHECK(report.text() ==
        "metric     value  details\n"
        "--------  ------  ---------------------------\n"
        "accuracy  0.3333  over 3 samples of 3 classes\n"
        "macro_f1  0.2222  mean of the classes' F1\n"
        "\n"
        "class  precision  recall      F1  support\n"
        "-----  ---------  ------  ------  -------\n"
        "2         0.0000  0.0000  0.0000        1\n"
        "9         0.0000  0.0000  0.0000        0\n"
        "10        1.0000  0.5000  0.6667        2\n"
        "\n"
        "label \\ predicted  2  9  10\n"
        "-----------------  -  -  --\n"
        "2                  0  1   0\n"
        "9                  0  0   0\n"
        "10                 0  1   1\n");
}

TEST_CASE("of many classes there is a table of what is most often taken for what") {
  LabelledPredictions predictions;
  const auto add = [&](int label, int prediction, int times) {
    for (int i = 0; i < times; ++i) predictions.add(std::to_string(prediction), std::to_string(label));
  };
  for (int label = 0; label < 21; ++label) add(label, label, 1);
  CHECK(predictions.finish().text().find("most often") == std::string::npos);  // nothing is confused
  add(7, 3, 2);
  add(20, 0, 5);
  add(1, 2, 2);
  const std::string text = predictions.finish().text();
  CHECK(
      text.ends_with("\n\n"
                     "label  most often predicted  samples  of the label's\n"
                     "-----  --------------------  -------  --------------\n"
                     "20     0                           5               6\n"
                     "1      2                           2               3\n"
                     "7      3                           2               3\n"));
  for (int label = 0; label < 21; ++label) add(label, 20 - label, 1);
  const std::string text_of_all = predictions.finish().text();
  const std::string more = text_of_all.substr(text_of_all.find("\n\n"));
  CHECK(std::count(more.begin(), more.end(), '\n') == 1 + 1 + 23 + 1 + 22);
}

TEST_CASE("probabilities of all classes say the same as predictions by name") {
  ClassProbabilities probabilities({"neg", "pos"});
  LabelledPredictions predictions;
  const auto add = [&](float p, std::int32_t label) {
    probabilities.add(label, std::vector<float>{1 - p, p});
    const std::string name = p > 0.5f ? "pos\t" + std::to_string(p) : "neg\t" + std::to_string(1 - p);
    predictions.add(name, label == 1 ? "pos" : "neg");
  };
  add(0.875f, 1);
  add(0.25f, 1);
  add(0.5f, 0);
  add(0.125f, 0);
  add(0.75f, 0);
  const ClassificationReport ours = probabilities.finish(), theirs = predictions.finish();
  CHECK(ours.text() == theirs.text());
  CHECK(score_of(ours, "roc_auc") == score_of(theirs, "roc_auc"));
  CHECK(score_of(ours, "loss") == doctest::Approx(score_of(theirs, "loss")).epsilon(1e-15));
}

TEST_CASE("probabilities of three classes: loss, no ROC AUC; of equals the first is the prediction") {
  ClassProbabilities probabilities({"a", "b", "c"});
  probabilities.add(2, std::vector<float>{0.25f, 0.25f, 0.5f});
  probabilities.add(1, std::vector<float>{0.5f, 0.5f, 0.0f});
  const ClassificationReport report = probabilities.finish();
  CHECK(report.confusion.count(2, 2) == 1);
  CHECK(report.confusion.count(1, 0) == 1);
  CHECK(score_of(report, "loss") == doctest::Approx(std::log(2)));
  CHECK_FALSE(report.roc_auc.has_value());
  CHECK(error_text([&] { probabilities.add(0, std::vector<float>{1}); }) ==
        "class probabilities: 1 of 3 classes");
  CHECK(error_text([&] {
          probabilities.add(0, std::vector<float>{NAN, 0, 0});
        }).starts_with("class probabilities: "));
  CHECK(error_text([&] {
          probabilities.add(3, std::vector<float>{1, 0, 0});
        }).starts_with("class 3 is not in"));
  CHECK(error_text([] { (void)ClassProbabilities({"a"}).finish(); }) ==
        "no lines (a measure needs at least one)");
}

TEST_CASE("of more than five classes the top-5 accuracy follows the accuracy") {
  ClassProbabilities probabilities({"a", "b", "c", "d", "e", "f"});
  probabilities.add(4, std::vector<float>{0.5f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f});
  probabilities.add(5, std::vector<float>{0.5f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f});
  const ClassificationReport report = probabilities.finish();
  CHECK(score_of(report, "top5_accuracy") == 0.5);
  CHECK(report.rows()[2].name == "top5_accuracy");
  CHECK(report.rows({"top5_accuracy"}).size() == 1);
}

TEST_CASE("what is not a prediction or not a label says so") {
  LabelledPredictions predictions;
  const auto said = [&](std::string_view prediction, std::string_view label) {
    return error_text([&] { predictions.add(prediction, label); });
  };
  CHECK(error_text([&] { (void)predictions.finish(); }) == "no lines (a measure needs at least one)");
  CHECK(said("a", "") == " \"\" is not a label (give one column of labels, with cut -f)");
  CHECK(said("a", "text\ta").find("is not a label") != std::string::npos);
  CHECK(said("", "a").starts_with(" a prediction without a label"));
  CHECK(said("\t0.5", "a").starts_with(" a prediction without a label"));
  for (const char* p : {"", "x", "1.5", "-0.1", "nan", "0.5x", " 0.5"}) {
    CHECK(said("a\t" + std::string(p), "a").starts_with(" \"" + std::string(p) + "\" is not a probability"));
  }
  CHECK(said("a\t0.5", "a") == "(no error)");
  CHECK(said("a", "a") == " no probability, which lines before it have");
  LabelledPredictions plain;
  plain.add("a", "a");
  CHECK(error_text([&] { plain.add("a\t0.5", "a"); }) == " a probability, which lines before it lack");
}

TEST_CASE("pairs of all labels give the loss of several classes, and what is no pair is passed over") {
  LabelledPredictions all, some, other;
  all.add("a\t0.5\tb\t0.3\tc\t0.2", "b");
  all.add("c\t0.9\ta\t0.1\tb\t0", "c ");
  CHECK(score_of(all.finish(), "loss") == doctest::Approx(-(std::log(0.3) + std::log(0.9)) / 2));
  CHECK(score_of(all.finish(), "ece") == doctest::Approx((0.5 + 0.1) / 2));
  CHECK(all.finish().labels == std::vector<std::string>{"a", "b", "c"});
  some.add("a\t0.5\tb\t0.3", "c");
  some.add("b\t0.5", "b");
  CHECK_FALSE(some.finish().loss.has_value());
  other.add("a\t0.5\tc\tsome text", "c");
  other.add("b\t0.5\tb", "b");
  CHECK_FALSE(other.finish().loss.has_value());
  // Two names occur, but the model has three classes: what it gives to the right one counts, not the rest.
  LabelledPredictions two;
  two.add("a\t0.5\tb\t0.3\tc\t0.2", "b");
  two.add("b\t0.6\ta\t0.3\tc\t0.1", "b");
  CHECK(score_of(two.finish(), "loss") == doctest::Approx(-(std::log(0.3) + std::log(0.6)) / 2));
}

TEST_CASE("predictions: white space is no part of a label, and labels that are never right are named") {
  LabelledPredictions spaced, strange;
  spaced.add("Docs \t0.75\t Web\t0.25", "Docs");
  spaced.add(" Web\t0.5\tDocs \t0.5", "Docs ");
  spaced.add("Web\t0.5\tDocs\t0.5", "Web");
  const ClassificationReport report = spaced.finish();
  CHECK(report.labels == std::vector<std::string>{"Docs", "Web"});
  CHECK(report.confusion.count(0, 0) == 1);
  CHECK(report.confusion.count(0, 1) == 1);
  CHECK(score_of(report, "loss") == doctest::Approx(-(std::log(0.75) + 2 * std::log(0.5)) / 3));
  CHECK(spaced.note().empty());
  CHECK(error_text([&] { strange.add(" \t0.5", "a"); }).starts_with(" a prediction without a label"));
  strange.add("0.9\t0.1", "Docs");
  CHECK(error_text([&] {
          (void)strange.finish();
        }).starts_with("no predicted label is among the right ones: predicted \"0.9\", right \"Docs\" ("));
  strange.add("Docs\t0.1", "Docs");
  CHECK(strange.finish().labels == std::vector<std::string>{"0.9", "Docs"});
  CHECK(strange.note() == "1 predicted label is not among the right ones: \"0.9\"");
}
