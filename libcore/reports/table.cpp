#include "reports/table.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.heading = visible(column.heading);
}

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw Error("table: a row of " + std::to_string(cells.size()) + " cells in a table of " +
                std::to_string(columns_.size()) + " columns");
  }
  for (std::string& cell : cells) cell = visible(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(display_width(columns_[c].heading));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  std::string out;
  const auto write_line = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string space(widths[c] - display_width(cell), ' ');
      line += columns_[c].align == Align::right ? space + cell : cell + space;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  const auto write_rule = [&] {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      out += std::string(widths[c], '-') + (c + 1 < columns_.size() ? "  " : "\n");
  };
  write_line([&](std::size_t c) -> const std::string& { return columns_[c].heading; });
  write_rule();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (std::find(rules_.begin(), rules_.end(), r) != rules_.end()) write_rule();
    write_line([&](std::size_t c) -> const std::string& { return rows_[r][c]; });
  }
  return out;
}

}  // namespace headwater
