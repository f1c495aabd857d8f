// One figure over another as a line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater {

struct LinePlot {
  std::string title, x_name, y_name;
  std::vector<std::pair<double, double>> points;  // (x, y), x ascending
};

// An SVG 1.1 document. Throws Error where there are no points.
std::string line_plot_svg(const LinePlot& plot);

}  // namespace headwater
