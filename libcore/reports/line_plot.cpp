#include "reports/line_plot.hpp"

#include <algorithm>
#include <cmath>

#include "reports/svg.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"

namespace headwater {

namespace {

constexpr double kLinePlotWidth = 560, kLinePlotHeight = 320;

// Their texts, of which the widest needs so much room.
double axis_room(const std::vector<double>& ticks) {
  double room = 0;
  for (const double tick : ticks)
    room = std::max(room, svg_text_width(tick_text(tick, ticks[1] - ticks[0]), 11));
  return room + 12;
}

}  // namespace

std::string line_plot_svg(const LinePlot& plot) {
  if (plot.points.empty()) throw Error("a plot without points");
  const auto [least, most] =
      std::ranges::minmax_element(plot.points, {}, [](const auto& p) { return p.second; });
  const std::vector<double> xs = axis_ticks(plot.points.front().first, plot.points.back().first, 8),
                            ys = axis_ticks(std::min(0.0, least->second), most->second, 8);
  const double left = kSvgMargin + axis_room(ys), top = kSvgMargin + 52;
  const auto x_of = [&](double x) {
    return left + kLinePlotWidth * (x - xs.front()) / (xs.back() - xs.front());
  };
  const auto y_of = [&](double y) {
    return top + kLinePlotHeight * (ys.back() - y) / (ys.back() - ys.front());
  };
  std::string body =
      svg_text(kSvgMargin, kSvgMargin + 14, 18, kSvgInk, "start",
               svg_fitted(plot.title, 20, left + kLinePlotWidth - kSvgMargin), " font-weight=\"bold\"");
  body += svg_text(left, top - 12, 12, kSvgInk, "start", plot.y_name);
  const auto add_line = [&](double x1, double y1, double x2, double y2) {
    body += "<line" + svg_attribute("x1", x1) + svg_attribute("y1", y1) + svg_attribute("x2", x2) +
            svg_attribute("y2", y2) + " stroke=\"#e4e8ec\"/>\n";
  };
  for (const double tick : ys) {
    add_line(left, y_of(tick), left + kLinePlotWidth, y_of(tick));
    body += svg_text(left - 7, y_of(tick) + 4, 11, kSvgFaint, "end", tick_text(tick, ys[1] - ys[0]));
  }
  for (const double tick : xs) {
    add_line(x_of(tick), top, x_of(tick), top + kLinePlotHeight);
    body += svg_text(x_of(tick), top + kLinePlotHeight + 18, 11, kSvgFaint, "middle",
                     tick_text(tick, xs[1] - xs[0]));
  }
  body += svg_text(left + kLinePlotWidth / 2, top + kLinePlotHeight + 38, 12, kSvgInk, "middle", plot.x_name);
  std::string path;
  for (const auto& [x, y] : plot.points)
    path += (path.empty() ? "M" : " L") + svg_number(x_of(x)) + "," + svg_number(y_of(y));
  body += "<path d=\"" + path + "\" fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\"/>\n";
  return svg_document(left + kLinePlotWidth + 2 * kSvgMargin, top + kLinePlotHeight + 38 + kSvgMargin,
                      plot.title, body);
}

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
