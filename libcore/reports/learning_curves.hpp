// The course of runs, from their log.csv, and one picture of it (learning_curves_svg.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/registry.hpp"
#include "recipe/recipe.hpp"
#include "support/json.hpp"

namespace headwater {

// One run: a point an epoch.
struct LearningCurve {
  struct Point {
    std::int64_t epoch = 0;
    // NaN where the log has none.
    double training_loss = 0, validation_loss = 0;
    // The other metrics of validation by their names: "accuracy", "next_sentence_loss". NaN as above.
    std::map<std::string, double, std::less<>> figures = {};
    // What is drawn only beside the source of an experiment that counts so, by the names of expectations:
    // "training_accuracy", "reference_loss". NaN as above.
    std::map<std::string, double, std::less<>> further = {};

    // A figure of either kind; NaN where there is none of that name; "loss" is the validation loss.
    double figure(std::string_view metric) const;
  };
  // Rows within epochs: the mean loss since the row before.
  struct Step {
    double epoch = 0;  // 0.5: the middle of the first
    double training_loss = 0;
  };
  std::string name;
  std::vector<Point> points;
  std::vector<Step> steps = {};  // none where every row of the log ends an epoch
  std::string best_metric = {};  // of its recipe; empty: not known
  bool is_of_source = false;     // points alone, of some epochs; those of epoch 0 are of an unknown one
};

// What the source of an experiment printed, and others who ran it (recipes/sources/): lines of CSV behind
// comments (#), with the columns "curve", the name; "epoch", empty where it is not known; and figures by the
// names of expectations: "validation_accuracy", "reference_loss". A curve for each name, in the order of the
// lines. Throws Error "where:line: what".
std::vector<LearningCurve> parse_source_curves(std::string_view csv, std::string_view where);

// The rows of a log.csv: points are those that end an epoch (with a validation loss). A last line without its
// end is being written and is passed over. Throws Error "where:line: what" for anything else that is no log,
// and where no epoch has ended.
LearningCurve parse_learning_curve(std::string_view log, std::string_view where, std::string name);
// Where it is perplexity, that has a panel.
void set_best_metric(LearningCurve& curve, std::string metric);

// What tells runs apart: the keys in which their recipes differ, "width 64, epochs 3". The names themselves
// where a recipe is not known, or where these are no fewer words.
std::vector<std::string> names_of_runs(const std::vector<std::string>& names,
                                       const std::vector<std::optional<Recipe>>& recipes);

// The figures of their picture, an object a run.
std::vector<Json> learning_curves_json(std::span<const LearningCurve> curves);

// What is drawn of the validation, or of training, by its name of LearningCurve::Point.
struct CurveFigure {
  std::string name, heading;  // as of recipes and JSON, and as people say it
  int digits = 4;             // of the best in the legend
  Metric::Best best = Metric::Best::highest;
  bool is_of_training = false;
};
// What the runs have beside the loss: metrics of the registry in its order, then others, such as each of
// several losses.
std::vector<CurveFigure> curve_figures(std::span<const LearningCurve> curves);
// The loss.
CurveFigure loss_curve();
// The point with the best of them; null where there is none.
const LearningCurve::Point* best_point(const LearningCurve& curve, const CurveFigure& figure);

// An SVG 1.1 document: loss in training (dashed) and validation, the other metrics of validation where a run
// has them, and those of a source where it is among the curves; a legend with the best figures of each. A run
// whose loss goes far beyond where it began has triangles at the upper border and does not flatten the
// others. Throws Error where there are no curves.
std::string learning_curves_svg(std::span<const LearningCurve> curves, std::string_view title);

// The same as a picture for each figure, each with its own legend, which a page can put below each other.
struct CurvePanel {
  std::string name, svg;
};
std::vector<CurvePanel> learning_curve_panels(std::span<const LearningCurve> curves);

}  // namespace headwater
