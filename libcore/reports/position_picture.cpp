#include "reports/position_picture.hpp"

#include <algorithm>
#include <cmath>

#include "reports/picture.hpp"
#include "reports/svg.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

constexpr double kTableSide = 440, kTableGap = 40, kTableHead = 40;

struct Cells {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;
};

// Each patch's grid of cosines at the place of the patch, one cell of paper between two.
Cells grid_of_grids(const PositionTable& table, const std::vector<double>& similarity) {
  const std::int64_t rows = table.rows, columns = table.columns, first = table.positions - rows * columns;
  Cells cells{.rows = rows * (rows + 1) - 1, .columns = columns * (columns + 1) - 1, .values = {}};
  cells.values.assign(cells.rows * cells.columns, 0);
  for (std::int64_t q = 0; q < rows * columns; ++q) {
    for (std::int64_t k = 0; k < rows * columns; ++k) {
      const std::int64_t y = q / columns * (rows + 1) + k / columns,
                         x = q % columns * (columns + 1) + k % columns;
      cells.values[y * cells.columns + x] = similarity[(q + first) * table.positions + k + first];
    }
  }
  return cells;
}

Picture picture_of_cells(const Cells& cells, double most) {
  return picture_of_numbers(cells.rows, cells.columns, cells.values, most, diverging_color);
}

// What 99 % of the numbers do not exceed: a few that are far out would leave the others without colour.
double usual_size(std::span<const PositionTable> tables) {
  std::vector<double> sizes;
  for (const PositionTable& table : tables)
    for (const float value : table.values) sizes.push_back(std::abs(static_cast<double>(value)));
  if (sizes.empty()) return 0;
  const auto place = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() * 99 / 100);
  std::ranges::nth_element(sizes, place);
  return *place > 0 ? *place : std::ranges::max(sizes);
}

}  // namespace

std::vector<double> position_similarity(const PositionTable& table) {
  const auto row = [&](std::int64_t p) {
    return std::span(table.values).subspan(p * table.width, table.width);
  };
  const auto product = [&](std::int64_t a, std::int64_t b) {
    double sum = 0;
    for (std::size_t i = 0; i < row(a).size(); ++i)
      sum += static_cast<double>(row(a)[i]) * static_cast<double>(row(b)[i]);
    return sum;
  };
  std::vector<double> lengths, cosines;
  for (std::int64_t p = 0; p < table.positions; ++p) lengths.push_back(std::sqrt(product(p, p)));
  for (std::int64_t a = 0; a < table.positions; ++a) {
    for (std::int64_t b = 0; b < table.positions; ++b) {
      const double both = lengths[a] * lengths[b];
      cosines.push_back(both > 0 ? product(a, b) / both : 0);
    }
  }
  return cosines;
}

std::string position_csv(std::span<const PositionTable> tables) {
  std::string out = "table,position,feature,value\n";
  for (const PositionTable& table : tables) {
    const std::string name = csv_field(table.name) + ",";
    for (std::int64_t i = 0; i < table.positions * table.width; ++i) {
      out += name + std::to_string(i / table.width) + "," + std::to_string(i % table.width) + "," +
             format_number(static_cast<double>(table.values[i])) + "\n";
    }
  }
  return out;
}

std::string position_svg(std::span<const PositionTable> tables, std::string_view title) {
  const double width = 2 * kTableSide + kTableGap;
  std::string body = svg_text(kSvgMargin, kSvgMargin + 14, 18, kSvgInk, "start", svg_fitted(title, 20, width),
                              " font-weight=\"bold\"");
  double y = kSvgMargin + 30;
  const double most = usual_size(tables);
  for (const PositionTable& table : tables) {
    if (table.values.empty()) throw Error("positions: " + table.name + " is empty");
    const bool is_of_patches = table.rows > 0;
    const double right = kSvgMargin + kTableSide + kTableGap;
    body += svg_text(kSvgMargin, y + 14, 13, kSvgInk, "start", table.name, " font-weight=\"bold\"");
    body += svg_text(kSvgMargin, y + 30, 11, kSvgFaint, "start",
                     "numbers; down: " + std::to_string(table.positions) +
                         " positions, to the right: " + std::to_string(table.width) + " features");
    body += svg_text(right, y + 30, 11, kSvgFaint, "start",
                     is_of_patches ? "cosines of each patch with all others, at its place"
                                   : "cosines of positions; the diagonal is 1");
    y += kTableHead;
    const Cells numbers{.rows = table.positions,
                        .columns = table.width,
                        .values = {table.values.begin(), table.values.end()}};
    const std::vector<double> similarity = position_similarity(table);
    const Cells alike = is_of_patches ? grid_of_grids(table, similarity)
                                      : Cells{table.positions, table.positions, similarity};
    body += svg_image(picture_of_cells(numbers, most), kSvgMargin, y, kTableSide, kTableSide);
    body += svg_image(picture_of_cells(alike, 1), right, y, kTableSide, kTableSide);
    y += kTableSide + kTableGap / 2;
  }
  const double bar = y + 22;
  body += svg_text(kSvgMargin, y + 14, 11, kSvgInk, "start",
                   "numbers, of which 1 in 100 may lie beyond; cosines from -1 to 1 in the same colours");
  body += color_bar_svg({.x = kSvgMargin, .y = bar, .least = -most, .most = most, .scale = [](double share) {
                           return diverging_color(2 * share - 1);
                         }});
  return svg_document(width + 2 * kSvgMargin, bar + kColorBarHeight + kSvgMargin, title, body);
}

}  // namespace headwater
