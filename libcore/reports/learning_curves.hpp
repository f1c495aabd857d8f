// The course of runs, from their log.csv, as one picture.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// One run: a point an epoch.
struct LearningCurve {
  struct Point {
    std::int64_t epoch = 0;
    // NaN where the log has none.
    double training_loss = 0, validation_loss = 0, validation_accuracy = 0;
    double validation_top5_accuracy = std::numeric_limits<double>::quiet_NaN(),
           validation_bleu = validation_top5_accuracy;
  };
  std::string name;
  std::vector<Point> points;
};

// The rows of a log.csv that end an epoch (those with a validation loss). A last line without its end is
// being written and is passed over. Throws Error "where:line: what" for anything else that is no log, and
// where no epoch has ended.
LearningCurve parse_learning_curve(std::string_view log, std::string_view where, std::string name);

// An SVG 1.1 document: loss in training (dashed) and validation; accuracy, top-5 accuracy and BLEU of the
// validation where a run has them; a legend with the best figures of each. Throws Error where there are no
// curves.
std::string learning_curves_svg(std::span<const LearningCurve> curves, std::string_view title);

// Round numbers that cover [least, most] in at most `max_ticks` steps: for axes.
std::vector<double> axis_ticks(double least, double most, int max_ticks);
// Such a number as it is written: no more digits than the step between ticks needs.
std::string tick_text(double value, double step);

}  // namespace headwater
