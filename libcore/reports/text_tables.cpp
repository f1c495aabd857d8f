#include "reports/text_tables.hpp"

#include <algorithm>

#include "support/split.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {
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
