// The course of runs as one picture.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/learning_curves.hpp"

namespace headwater {

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
