#include "reports/learning_curves.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "error_text.hpp"
#include "families/registry.hpp"
#include "reports/svg.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

constexpr const char* kLog =
    "step,epoch,tokens,loss,accuracy,validation_loss,validation_accuracy,seconds\n"
    "50,1,10,2.5,0.1,,,1\n"
    "95,1,20,2,0.2,1.5,0.5,2\n"
    "190,2,20,1,0.6,0.75,,2\n";

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a log gives a point for each epoch that has ended") {
  const LearningCurve curve = parse_learning_curve(std::string(kLog) + "200,3,1,0", "log.csv", "run");
  REQUIRE(curve.points.size() == 2);
  CHECK(curve.points[0].epoch == 1);
  CHECK(curve.points[0].training_loss == 2);
  CHECK(curve.points[0].validation_loss == 1.5);
  CHECK(curve.points[0].figure("accuracy") == 0.5);
  CHECK(curve.points[1].validation_loss == 0.75);
  CHECK(std::isnan(curve.points[1].figure("accuracy")));
}

TEST_CASE("what is no log is named with its line") {
  const auto said = [](const std::string& log) {
    return error_text([&] { parse_learning_curve(log, "log.csv", "run"); });
  };
  CHECK(said("step,epoch\n") == "log.csv:1: no column \"loss\" (name the log.csv of a run, or its folder)");
  CHECK(said("") ==
        "log.csv: no epoch has ended with a validation (train longer; without validation there is no curve)");
  CHECK(said(std::string(kLog) + "1,2\n") == "log.csv:5: 2 fields where the first line has 8");
  CHECK(said(std::string(kLog) + "1,3,1,x,1,1,1,1\n") ==
        "log.csv:5: \"x\" in column \"loss\" is not a number");
  CHECK(said(std::string(kLog) + "1,0,1,1,1,1,1,1\n") == "log.csv:5: epoch \"0\" is not in 1 .. 1000000000");
}

TEST_CASE("ticks of an axis are round and cover the range") {
  CHECK(axis_ticks(0.31, 0.92, 8).front() == doctest::Approx(0.3));
  CHECK(axis_ticks(0.31, 0.92, 8).back() == doctest::Approx(1.0));
  for (const double least : {-3.0, 0.0, 0.2781, 5e-7, 123456.0}) {
    for (const double range : {0.0, 1e-6, 0.013, 1.0, 7.3, 1e5}) {
      INFO(least, " + ", range);
      const std::vector<double> ticks = axis_ticks(least, least + range, 8);
      CHECK(ticks.size() >= 2);
      CHECK(ticks.size() <= 9);
      CHECK(ticks.front() <= least + 1e-9 * std::abs(least) + 1e-15);
      CHECK(ticks.back() >= least + range - 1e-9 * std::abs(least + range) - 1e-15);
    }
  }
}

TEST_CASE("the picture has both lines of each run, and the best figures") {
  const std::vector<LearningCurve> curves = {parse_learning_curve(kLog, "log.csv", "a < b"),
                                             {"other",
                                              {{1, 1.0, 0.9, {{"accuracy", 0.7}}},
                                               {2, 0.5, 1.1, {{"accuracy", 0.8}}},
                                               {3, 0.4, 1.2, {{"accuracy", 0.75}}}}}};
  const std::string svg = learning_curves_svg(curves, "Runs & more");
  CHECK(count_of(svg, "<path ") == 6);  // training, validation, accuracy of two
  CHECK(count_of(svg, "<path d=\"M") == 6);
  CHECK(count_of(svg, "<title>a &lt; b, epoch ") == 3);
  CHECK(count_of(svg, "<title>other, epoch ") == 6);
  CHECK(svg.find("0.7500 (epoch 2)") != svg.npos);
  CHECK(svg.find("0.9000 (epoch 1)") != svg.npos);
  CHECK(svg.find("0.8000 (epoch 2)") != svg.npos);
  CHECK(svg.find("Runs &amp; more") != svg.npos);
  CHECK(svg.find("nan") == svg.npos);
  CHECK(svg == learning_curves_svg(curves, "Runs & more"));
}

TEST_CASE("a run that goes far beyond where it began does not flatten the others") {
  const LearningCurve good{"good", {{1, 2.0, 1.9}, {2, 1.5, 1.4}, {3, 1.2, 1.3}}};
  const LearningCurve bad{"bad", {{1, 2.2, 2.1}, {2, 900, 1e6}, {3, 2.0, 2.0}}};
  const std::string svg = learning_curves_svg(std::vector{good, bad}, "t"),
                    alone = learning_curves_svg(std::vector{good}, "t");
  CHECK(svg.find("; \u25b2 goes beyond") != svg.npos);
  CHECK(count_of(svg, "<polygon ") == 2);  // of training and of validation
  CHECK(svg.find("bad, epoch 2: 1000000.0000</title></polygon>") != svg.npos);
  CHECK(svg.find(">2.2</text>") != svg.npos);  // the axis is that of the others
  CHECK(alone.find("<polygon ") == alone.npos);
  CHECK(alone.find("goes beyond") == alone.npos);
}

TEST_CASE("a run that is bad from its first epoch does not flatten the others either") {
  const LearningCurve good{"good", {{1, 3.4, 2.86}, {2, 2.9, 2.7}, {3, 2.6, 2.5}}};
  const std::string alone = learning_curves_svg(std::vector{good}, "t");
  REQUIRE(alone.find(">3.4</text>") != alone.npos);
  const std::vector<LearningCurve> bad = {
      {"ends at once", {{1, 4e6, 6732137}}},
      {"worse", {{1, 2e17, 1.5e18}, {2, 1e17, 1e18}}},
      {"no number after it", {{1, 5e5, 6e5}, {2, std::nan(""), std::nan("")}}},
      {"recovers", {{1, 3e4, 2e4}, {2, 3.3, 3.0}, {3, 3.1, 2.9}}},
      {"both in turn", {{1, 40, 55}, {2, 2e3, 4e3}}},
  };
  std::vector<LearningCurve> all{good};
  for (const LearningCurve& curve : bad) {
    CAPTURE(curve.name);
    const std::string svg = learning_curves_svg(std::vector{curve, good}, "t");
    CHECK(svg.find(">3.4</text>") != svg.npos);
    CHECK(svg.find(">4</text>") == svg.npos);
    CHECK(svg.find("; \u25b2 goes beyond") != svg.npos);
    CHECK(count_of(svg, ">leaves the picture: up to ") == 1);
    all.push_back(curve);
  }
  const std::string svg = learning_curves_svg(all, "t");
  CHECK(svg.find(">3.4</text>") != svg.npos);
  CHECK(count_of(svg, ">leaves the picture: up to ") == bad.size());
  CHECK(svg.find(">leaves the picture: up to 6.73e+06</text>") != svg.npos);
  CHECK(svg.find(">leaves the picture: up to 1.5e+18</text>") != svg.npos);
  CHECK(svg.find("<title>ends at once, epoch 1: 6732137.0000</title></polygon>") != svg.npos);
}

TEST_CASE("runs that begin apart are whole where none of them diverged") {
  // One goes on from weights that were trained before; one knows nothing yet.
  const std::vector<LearningCurve> curves = {{"goes on", {{1, 0.06, 0.05}, {2, 0.05, 0.04}}},
                                             {"begins", {{1, 2.4, 2.0}, {2, 1.2, 0.6}}},
                                             {"reads words", {{1, 4.9, 4.8}, {2, 4.6, 4.7}}}};
  const std::string svg = learning_curves_svg(curves, "t");
  CHECK(svg.find("goes beyond") == svg.npos);
  CHECK(svg.find("leaves the picture") == svg.npos);
}

TEST_CASE("a run that goes far beyond is whole where no other curve needs the room") {
  const LearningCurve bad{"bad", {{1, 2.2, 2.1}, {2, 2.0, 40}, {3, 1.9, 90}}};
  LearningCurve worse = bad;
  worse.name = "worse";
  for (const std::vector<LearningCurve>& curves : {std::vector{bad}, std::vector{bad, worse}}) {
    const std::string svg = learning_curves_svg(curves, "t");
    CHECK(svg.find("<polygon ") == svg.npos);
    CHECK(svg.find("goes beyond") == svg.npos);
    CHECK(svg.find("bad, epoch 3: 90.0000</title></circle>") != svg.npos);
  }
}

TEST_CASE("a run of one epoch has two dots, which can be told apart") {
  const std::string svg = learning_curves_svg(std::vector<LearningCurve>{{"linear", {{1, 0.25, 0.5}}}}, "t");
  CHECK(svg.find("training open dots, validation full ones") != svg.npos);
  CHECK(count_of(svg, "<title>linear, epoch 1: 0.2500</title>") == 1);
  CHECK(count_of(svg, "r=\"4\" fill=\"none\" stroke=") == 1);
}

TEST_CASE("a picture for each figure, each with its legend") {
  const LearningCurve run{"run", {{1, 1.0, 0.9, {{"accuracy", 0.7}}}, {2, 0.5, 1.1, {{"accuracy", 0.8}}}}};
  const std::vector<CurvePanel> panels = learning_curve_panels(std::vector{run});
  REQUIRE(panels.size() == 2);
  CHECK(panels[0].svg.find("0.9000 (epoch 1)") != std::string::npos);
  CHECK(panels[1].name == "Validation accuracy");
  CHECK(panels[1].svg.find("0.8000 (epoch 2)") != std::string::npos);
  for (const CurvePanel& panel : panels) CHECK(panel.svg.find("width=\"534\"") != std::string::npos);
}

TEST_CASE("BLEU and top-5 accuracy have panels where a run has them") {
  const std::string log =
      "epoch,loss,validation_loss,validation_accuracy,validation_bleu,validation_top5_accuracy\n"
      "1,3,2,0.5,21.257,\n"
      "2,2,1,0.6,30.5,\n";
  const LearningCurve curve = parse_learning_curve(log, "log.csv", "run");
  CHECK(curve.points[1].figure("bleu") == 30.5);
  CHECK(std::isnan(curve.points[1].figure("top5_accuracy")));
  const std::vector<LearningCurve> curves = {curve, {"other", {{1, 1.0, 0.9, {{"accuracy", 0.7}}}}}};
  const std::string svg = learning_curves_svg(curves, "t");
  CHECK(count_of(svg, "<path ") == 7);
  CHECK(svg.find("Validation BLEU") != svg.npos);
  CHECK(svg.find("highest validation BLEU") != svg.npos);
  CHECK(svg.find("30.50 (epoch 2)") != svg.npos);
  CHECK(svg.find("top-5") == svg.npos);
  std::vector<LearningCurve> images = {
      {"images", {{1, 1.0, 0.9, {{"accuracy", 0.7}, {"top5_accuracy", 0.95}}}}}};
  CHECK(learning_curves_svg(images, "t").find("Validation top-5 accuracy") != std::string::npos);
  CHECK(error_text([] {
          parse_learning_curve("epoch,loss,validation_loss,validation_accuracy,validation_bleu\n1,1,1,1,x\n",
                               "log.csv", "run");
        }) == "log.csv:2: \"x\" in column \"validation_bleu\" is not a number");
}

TEST_CASE("the loss of training has a point for each row of the log, the mean since the row before") {
  const LearningCurve curve =
      parse_learning_curve(std::string(kLog) + "240,3,10,0.9,0.6,,,1\n", "log.csv", "run");
  REQUIRE(curve.steps.size() == 4);
  CHECK(curve.steps[0].epoch == doctest::Approx(50.0 / 95));
  CHECK(curve.steps[0].training_loss == doctest::Approx(2.5));
  CHECK(curve.steps[1].epoch == 1);
  CHECK(curve.steps[1].training_loss == doctest::Approx((2 * 20 - 2.5 * 10) / 10));
  CHECK(curve.steps[2].epoch == 2);
  CHECK(curve.steps[2].training_loss == 1);
  CHECK(curve.steps[3].epoch == doctest::Approx(2 + 50.0 / 95));  // of an epoch as long as the one before
  CHECK(curve.steps[3].training_loss == doctest::Approx(0.9));
  CHECK(count_of(learning_curves_svg(std::vector{curve}, "t"), "<title>run, epoch ") == 3);
  // Rows of epochs alone say no more than their points.
  CHECK(parse_learning_curve("step,epoch,tokens,loss,validation_loss,validation_accuracy\n5,1,9,2,2,1\n", "l",
                             "r")
            .steps.empty());
  // Where there are very many rows, some stand together.
  std::string long_log = "step,epoch,tokens,loss,validation_loss,validation_accuracy\n";
  for (int step = 1; step <= 10000; ++step)
    long_log +=
        std::to_string(step) + ",1," + std::to_string(step) + ",3," + (step == 10000 ? "3,0" : ",") + "\n";
  const LearningCurve many = parse_learning_curve(long_log, "l", "r");
  CHECK(many.steps.size() == 400);
  CHECK(many.steps.back().epoch == 1);
  for (const LearningCurve::Step& step : many.steps) CHECK(step.training_loss == doctest::Approx(3));
}

TEST_CASE("rows weigh by what their loss is the mean over, where all of them say it") {
  const std::string header = "step,epoch,tokens,loss,validation_loss,validation_accuracy,predicted\n";
  const auto last_point = [&](const std::string& rows) {
    const std::vector<LearningCurve::Step> steps = parse_learning_curve(header + rows, "l", "r").steps;
    REQUIRE(steps.size() == 2);
    return steps.back().training_loss;
  };
  // Five examples with a mean of 0.4, eleven with 0.5: the six new ones have (0.5 * 11 - 0.4 * 5) / 6.
  CHECK(last_point("1,1,90,0.4,,,5\n2,1,110,0.5,1,1,11\n") == doctest::Approx(3.5 / 6));
  CHECK(last_point("1,1,60,0.4,,,\n2,1,110,0.5,1,1,11\n") == doctest::Approx((0.5 * 110 - 0.4 * 60) / 50));
}

TEST_CASE("the last rows of many have their point, also where the last one says nothing new") {
  std::string log = "step,epoch,tokens,loss,validation_loss,validation_accuracy\n";
  for (int step = 1; step <= 501; ++step)
    log += std::to_string(step) + ",1," + std::to_string(step) + ",3,,\n";
  const std::vector<LearningCurve::Step> steps =
      parse_learning_curve(log + "501,1,501,3,3,0\n", "l", "r").steps;
  CHECK(steps.back().epoch == 1);
}

TEST_CASE("a batch alone, of a row right after one that ends an epoch, is no point among means of many") {
  // Epochs of 399 steps, a row every 100; the batch of step 400 is a bad one. The last row is of step 1197.
  std::string log = "step,epoch,tokens,loss,validation_loss,validation_accuracy\n";
  for (const std::string_view row :
       {"100,1,100,3,,", "200,1,200,3,,", "300,1,300,3,,", "399,1,399,3,3,0", "400,2,1,9,,", "500,2,101,2,,",
        "600,2,201,2,,", "700,2,301,2,,", "798,2,399,2,2,0", "800,3,2,9,,", "900,3,102,1,,", "1000,3,202,1,,",
        "1195,3,397,1,,", "1197,3,399,1.02,1,0"})
    log.append(row).append("\n");
  const std::vector<LearningCurve::Step> steps = parse_learning_curve(log, "log.csv", "run").steps;
  REQUIRE(steps.size() == 11);
  CHECK(steps[3].epoch == 1);
  CHECK(steps[4].epoch == doctest::Approx(1 + 101.0 / 399));
  for (const LearningCurve::Step& step : steps) CHECK(step.training_loss < 3.1);
  CHECK(steps[10].epoch == 3);
}

TEST_CASE("what epochs are chosen by has a panel, whatever it is") {
  const std::string log =
      "epoch,loss,validation_loss,validation_accuracy,validation_macro_f1,validation_roc_auc,validation_"
      "chrf\n"
      "1,3,2,0.5,0.25,0.75,30\n"
      "2,2,1,0.6,0.5,0.5,40\n";
  LearningCurve curve = parse_learning_curve(log, "log.csv", "run");
  set_best_metric(curve, "roc_auc");
  const std::string svg = learning_curves_svg(std::vector{curve}, "t");
  for (const char* heading :
       {"Validation macro F1<", "Validation ROC AUC (best_metric)<", "Validation chrF<"})
    CHECK(svg.find(heading) != svg.npos);
  CHECK(svg.find("0.7500 (epoch 1)") != svg.npos);
  CHECK(svg.find("perplexity") == svg.npos);
  set_best_metric(curve, "perplexity");
  const std::string chosen = learning_curves_svg(std::vector{curve}, "t");
  CHECK(chosen.find("Validation perplexity (best_metric)<") != chosen.npos);
  CHECK(chosen.find("lowest validation perplexity") != chosen.npos);
  CHECK(chosen.find("2.72 (epoch 2)") != chosen.npos);
  const Json json = learning_curves_json(std::vector{curve})[0];
  CHECK(json.at("best").at("roc_auc").at("epoch").as_number() == 1);
  CHECK(json.at("best").at("loss").at("value").as_number() == 1);
  CHECK(json.at("best").find("bleu") == nullptr);
  CHECK(json.at("epochs").as_array().size() == 2);
  CHECK(json.find("steps") == nullptr);
}

TEST_CASE("a source's curves are read by their names, and faults with their line") {
  const std::vector<LearningCurve> curves = parse_source_curves(
      "# words, with commas\ncurve,epoch,training_loss,validation_loss,validation_accuracy,reference_loss\n"
      "the source,,,,,1.5\nPyTorch,1,3,2,0.5,\nPyTorch,3,2,1,0.75,\n",
      "s.csv");
  REQUIRE(curves.size() == 2);
  CHECK(curves[0].name == "the source");
  REQUIRE(curves[0].points.size() == 1);
  CHECK(curves[0].points[0].epoch == 0);
  CHECK(curves[0].points[0].figure("reference_loss") == 1.5);
  CHECK(std::isnan(curves[0].points[0].validation_loss));
  REQUIRE(curves[1].points.size() == 2);
  CHECK(curves[1].points[1].epoch == 3);
  CHECK(curves[1].points[1].training_loss == 2);
  CHECK(curves[1].points[1].figure("loss") == 1);
  CHECK(curves[1].points[1].figure("accuracy") == 0.75);
  const auto said = [](const std::string& csv) {
    return error_text([&] { (void)parse_source_curves(csv, "s.csv"); });
  };
  CHECK(said("epoch,loss\n") ==
        "s.csv:1: the columns are curve, epoch and figures (write them into the first line)");
  CHECK(said("curve,epoch,bleu\na,1\n") == "s.csv:2: 2 fields where the first line has 3");
  CHECK(said("curve,epoch,bleu\na,1,x\n") == "s.csv:2: \"x\" in column \"bleu\" is not a number");
  CHECK(said("curve,epoch,bleu\na,0,1\n") == "s.csv:2: epoch \"0\" is not in 1 .. 1000000000");
  CHECK(parse_source_curves("", "s.csv").empty());
}

TEST_CASE("the sources of this repository can be drawn") {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(HEADWATER_SOURCE_DIR "/recipes/sources")) {
    INFO(entry.path().string());
    CHECK(fs::exists(fs::path(HEADWATER_SOURCE_DIR "/recipes") / (entry.path().stem().string() + ".yaml")));
    const std::vector<LearningCurve> curves =
        parse_source_curves(read_file(entry.path()), entry.path().string());
    CHECK_FALSE(curves.empty());
    CHECK_FALSE(learning_curves_svg(curves, "t").empty());
    ++count;
  }
  CHECK(count > 0);
}

TEST_CASE(
    "a source is drawn in its measure beside a run: dots, no lines over epochs that it leaves out, a level") {
  const std::string log =
      "step,epoch,tokens,loss,accuracy,validation_loss,validation_accuracy,reference_loss,seconds\n"
      "95,1,20,2,0.25,1.5,0.5,1.25,2\n190,2,20,1,0.75,0.75,0.625,1,2\n";
  std::vector<LearningCurve> curves{parse_learning_curve(log, "log.csv", "ours")};
  // Without a source that counts so there is no such panel.
  CHECK(learning_curves_svg(curves, "t").find(", padded") == std::string::npos);
  for (LearningCurve& source : parse_source_curves("curve,epoch,training_loss,training_accuracy,reference_"
                                                   "loss\nA,1,2,0.5,\nA,3,1,0.875,\nB,,,,1.0087\n",
                                                   "s.csv"))
    curves.push_back(std::move(source));
  const std::string svg = learning_curves_svg(curves, "t");
  CHECK(svg.find("Validation loss, padded") != std::string::npos);
  CHECK(svg.find("Training accuracy") != std::string::npos);
  CHECK(svg.find("lowest validation loss, padded") != std::string::npos);
  CHECK(svg.find("highest training accuracy") != std::string::npos);
  CHECK(svg.find("<title>ours, epoch 2: 0.7500</title>") != std::string::npos);  // training accuracy
  CHECK(svg.find("<title>A, epoch 3: 1.0000</title>") != std::string::npos);     // its training loss has dots
  CHECK(svg.find("<g><title>B: 1.0087</title>") != std::string::npos);           // a level
  CHECK(svg.find(">1.0087</text>") != std::string::npos);                        // without an epoch
  const std::size_t path = svg.rfind("<path", svg.find("<title>A, epoch 1: 0.5000"));
  const std::string line = svg.substr(path, svg.find("/>", path) - path);
  CHECK(count_of(line, "M") == 2);
  CHECK(count_of(line, "L") == 0);
}

TEST_CASE("runs are called by what their recipes differ in") {
  std::vector<std::optional<Recipe>> recipes;
  for (const char* text :
       {"seed: 4", "{seed: 5, model: {width: 64}}", "{seed: 6, model: {feed_forward_width: 3}}"})
    recipes.push_back(
        parse_recipe(text, "name" + std::to_string(recipes.size()) + ".yaml"));  // which tells nothing
  const std::vector<std::string> names = {"a", "b", "c"};
  // Not by what follows from the width.
  CHECK(names_of_runs({"a", "b"}, {recipes[0], recipes[1]})[1] == "seed 5, width 64");
  CHECK(names_of_runs(names, recipes)[2].ends_with(", feed_forward_width 3"));
  recipes[2] = recipes[0];
  CHECK(names_of_runs(names, recipes) == names);  // two are the same
  recipes[2] = parse_recipe(
      "training: {epochs: 3, batch_sequences: 5, log_every: 6, optimizer: {learning_rate: 0.5}}", "r");
  CHECK(names_of_runs(names, recipes) == names);  // too many keys
  recipes[1].reset();
  CHECK(names_of_runs(names, recipes) == names);
}

TEST_CASE("a long name is whole, and the picture has room for it") {
  const std::string name(70, 'm');
  const std::vector<LearningCurve> curves = {{name, {{1, 1.0, 0.9, {{"accuracy", 0.7}}}}}};
  CHECK(learning_curves_svg(curves, "t").find(">" + name + "</text>") != std::string::npos);
}

TEST_CASE("runs without an accuracy have one panel; without runs there is no picture") {
  const double none = std::nan("");
  const std::vector<LearningCurve> curves = {{"lm", {{1, 5.6, 5.0, {{"accuracy", none}}}}}};
  const std::string svg = learning_curves_svg(curves, "t");
  CHECK(svg.find("accuracy") == svg.npos);
  CHECK(count_of(svg, "<path ") == 2);
  CHECK(error_text([] { (void)learning_curves_svg({}, "t"); }) == "learning curves: no runs");
}
