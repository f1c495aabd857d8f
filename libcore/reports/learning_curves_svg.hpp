// The course of runs as one picture.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/learning_curves.hpp"

namespace headwater {

// An SVG 1.1 document: loss in training (dashed) and validation, and the other metrics of validation where a
// run has them; a legend with the best figures of each. Throws Error where there are
// no curves.
std::string learning_curves_svg(std::span<const LearningCurve> curves, std::string_view title);

}  // namespace headwater
