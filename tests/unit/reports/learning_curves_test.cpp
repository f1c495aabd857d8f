#include "reports/learning_curves.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "error_text.hpp"

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
  CHECK(curve.points[0].validation_accuracy == 0.5);
  CHECK(curve.points[1].validation_loss == 0.75);
  CHECK(std::isnan(curve.points[1].validation_accuracy));
}

TEST_CASE("what is no log is named with its line") {
  const auto said = [](const std::string& log) {
    return error_text([&] { parse_learning_curve(log, "log.csv", "run"); });
  };
  CHECK(said("step,epoch\n") == "log.csv:1: no column \"loss\" (name the log.csv of a run, or its folder)");
  CHECK(said("") == "log.csv: no epoch has ended yet (train a while longer)");
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
  const std::vector<LearningCurve> curves = {
      parse_learning_curve(kLog, "log.csv", "a < b"),
      {"other", {{1, 1.0, 0.9, 0.7}, {2, 0.5, 1.1, 0.8}, {3, 0.4, 1.2, 0.75}}}};
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

TEST_CASE("BLEU and top-5 accuracy have panels where a run has them") {
  const std::string log =
      "epoch,loss,validation_loss,validation_accuracy,validation_bleu,validation_top5_accuracy\n"
      "1,3,2,0.5,21.257,\n"
      "2,2,1,0.6,30.5,\n";
  const LearningCurve curve = parse_learning_curve(log, "log.csv", "run");
  CHECK(curve.points[1].validation_bleu == 30.5);
  CHECK(std::isnan(curve.points[1].validation_top5_accuracy));
  const std::vector<LearningCurve> curves = {curve, {"other", {{1, 1.0, 0.9, 0.7}}}};
  const std::string svg = learning_curves_svg(curves, "t");
  CHECK(count_of(svg, "<path ") == 7);
  CHECK(svg.find("Validation BLEU") != svg.npos);
  CHECK(svg.find("highest validation BLEU") != svg.npos);
  CHECK(svg.find("30.50 (epoch 2)") != svg.npos);
  CHECK(svg.find("top-5") == svg.npos);
  std::vector<LearningCurve> images = {{"images", {{1, 1.0, 0.9, 0.7, 0.95}}}};
  CHECK(learning_curves_svg(images, "t").find("Validation top-5 accuracy") != std::string::npos);
  CHECK(error_text([] {
          parse_learning_curve("epoch,loss,validation_loss,validation_accuracy,validation_bleu\n1,1,1,1,x\n",
                               "log.csv", "run");
        }) == "log.csv:2: \"x\" in column \"validation_bleu\" is not a number");
}

TEST_CASE("runs without an accuracy have one panel; without runs there is no picture") {
  const double none = std::nan("");
  const std::vector<LearningCurve> curves = {{"lm", {{1, 5.6, 5.0, none}}}};
  const std::string svg = learning_curves_svg(curves, "t");
  CHECK(svg.find("accuracy") == svg.npos);
  CHECK(count_of(svg, "<path ") == 2);
  CHECK(error_text([] { (void)learning_curves_svg({}, "t"); }) == "learning curves: no runs");
}
