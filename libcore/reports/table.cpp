#include "reports/table.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/split.hpp"
#include "support/utf8.hpp"
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

namespace {

struct Span {
  std::size_t begin = 0, end = 0;  // columns of a terminal
};

// The runs of dashes of a rule, two spaces apart; none where the line is no rule.
std::vector<Span> columns_of_rule(std::string_view line) {
  std::vector<Span> columns;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find_first_not_of('-', at), line.size());
    if (end == at || (end < line.size() && line.substr(end, 3) != "  -")) return {};
    columns.push_back({at, end});
    at = end == line.size() ? end : end + 2;
  }
  return columns;
}

// The cells of a row; none where something stands between the columns. The last one may be longer.
std::vector<std::string> cells_of_row(std::string_view line, const std::vector<Span>& columns) {
  std::vector<std::string> cells(columns.size());
  std::size_t column = 0, width = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = at;
    next_code_point(line, at);
    const std::string_view character = line.substr(begin, at - begin);
    while (column + 1 < columns.size() && width >= columns[column + 1].begin) ++column;
    const bool is_between = width >= columns[column].end && column + 1 < columns.size();
    if (is_between && character != " ") return {};
    if (!is_between) cells[column] += character;
    width += display_width(character);
  }
  for (std::string& cell : cells) {
    cell.erase(0, std::min(cell.find_first_not_of(' '), cell.size()));
    cell.erase(cell.find_last_not_of(' ') + 1);
  }
  return cells;
}

// Cells of a column of numbers end at its last dash.
bool is_right(const std::vector<std::string_view>& lines, const Span& column) {
  return std::ranges::all_of(
      lines, [&](std::string_view line) { return line.size() >= column.end && line[column.end - 1] != ' '; });
}

// The table whose headings are lines[0]; none where these lines are none.
std::optional<Table> table_of(const std::vector<std::string_view>& lines) {
  const std::vector<Span> columns = columns_of_rule(lines[1]);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (n == 1 || !columns_of_rule(lines[n]).empty()) continue;
    rows.push_back(cells_of_row(lines[n], columns));
    if (rows.back().empty()) return std::nullopt;
  }
  std::vector<Table::Column> headings;
  for (std::size_t c = 0; c < columns.size(); ++c)
    headings.push_back(
        {rows.front()[c], is_right(lines, columns[c]) ? Table::Align::right : Table::Align::left});
  Table table(std::move(headings));
  for (std::size_t n = 1; n < rows.size(); ++n) table.add_row(std::move(rows[n]));
  return table;
}

}  // namespace

std::vector<TextOrTable> tables_in(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  std::vector<TextOrTable> parts;
  const auto add_text = [&](std::string_view line) {
    if (parts.empty() || parts.back().table) parts.emplace_back();
    parts.back().text.append(line).append("\n");
  };
  for (std::size_t n = 0; n < lines.size();) {
    const bool begins = n + 1 < lines.size() && !lines[n].empty() && !columns_of_rule(lines[n + 1]).empty();
    std::size_t end = n + 1;
    while (begins && end < lines.size() && !lines[end].empty()) ++end;
    std::optional<Table> table;
    if (begins)
      table = table_of(
          {lines.begin() + static_cast<std::ptrdiff_t>(n), lines.begin() + static_cast<std::ptrdiff_t>(end)});
    if (table) {
      parts.push_back({"", std::move(table)});
      n = end;
    } else {
      add_text(lines[n++]);
    }
  }
  // Empty lines around tables are nothing to show.
  std::erase_if(parts, [](const TextOrTable& part) {
    return !part.table && part.text.find_first_not_of('\n') == std::string::npos;
  });
  return parts;
}

}  // namespace headwater
