// One figure over another as a line, and such pictures of a training.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/page_parts.hpp"

namespace headwater {

struct LinePlot {
  std::string title, x_name, y_name;
  std::vector<std::pair<double, double>> points;  // (x, y), x ascending
};

// An SVG 1.1 document. Throws Error where there are no points.
std::string line_plot_svg(const LinePlot& plot);

// The course of training beside its losses. Pictures of the learning rate, of the norm of the gradient and of
// the speed over the steps, as a log.csv has them; a column that it lacks, or whose numbers are none, has no
// picture.
PageParts training_plots(std::string_view log);

}  // namespace headwater
