#include "reports/training_plots.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "reports/line_plot.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"

namespace headwater {
namespace {

// More than a picture has pixels.
constexpr std::size_t kMostPlotPoints = 1200;

// Between such numbers an axis can be divided.
bool can_be_drawn(double value) {
  constexpr double kSmallest = 1e-100, kLargest = 1e100;
  return value == 0 || (std::abs(value) >= kSmallest && std::abs(value) <= kLargest);
}

std::vector<std::pair<double, double>> points_of_column(const std::vector<std::string_view>& lines,
                                                        std::size_t x_column, std::size_t y_column) {
  std::vector<std::pair<double, double>> points;
  const std::size_t columns = split(lines.front(), ',').size();
  if (std::max(x_column, y_column) >= columns) return points;
  for (std::size_t n = 1; n < lines.size(); ++n) {
    const std::vector<std::string_view> fields = split(lines[n], ',');
    double x = 0, y = 0;
    if (fields.size() != columns) continue;
    if (!read_number(fields[x_column], x).empty() || !read_number(fields[y_column], y).empty()) continue;
    const bool goes_on = points.empty() || x > points.back().first;
    if (goes_on && can_be_drawn(x) && can_be_drawn(y)) points.emplace_back(x, y);
  }
  const std::size_t stride = points.size() / kMostPlotPoints + 1;
  std::vector<std::pair<double, double>> some;
  for (std::size_t i = 0; i < points.size(); i += stride) some.push_back(points[i]);
  return some;
}

}  // namespace

PageParts training_plots(std::string_view log) {
  struct Plot {
    std::string_view column, title;
  };
  constexpr Plot kPlots[] = {{"learning_rate", "Learning rate"},
                             {"gradient_norm", "Norm of the gradient"},
                             {"tokens_per_second", "Tokens a second"}};
  log = log.substr(0, log.rfind('\n') + 1);  // what stands after it is being written
  const std::vector<std::string_view> lines = split(log, '\n'), header = split(lines.front(), ',');
  const auto place_of = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(header, name) - header.begin());
  };
  PageParts parts;
  for (const Plot& plot : kPlots) {
    LinePlot line{std::string(plot.title), "step", "",
                  points_of_column(lines, place_of("step"), place_of(plot.column))};
    if (line.points.size() > 1) parts.push_back(page_picture(plot.title, line_plot_svg(line)));
  }
  return parts;
}

}  // namespace headwater
