// Tables for reading: aligned columns, whatever the script of their texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string heading;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns);

  // Throws Error where the number of cells is not the number of columns. Headings and cells are any text;
  // they are shown as visible() of support/error.hpp makes it, so that none can drive a terminal.
  void add_row(std::vector<std::string> cells);
  // A rule before the next row.
  void add_rule() { rules_.push_back(rows_.size()); }

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  // Headings, a rule, the rows; columns two spaces apart, no spaces at line ends.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> rules_;  // row numbers that a rule stands before
};

// Tables that stand in a text, as Table::text() writes them, found again.
struct TextOrTable {
  std::string text;            // lines that are of no table
  std::optional<Table> table;  // or a table
};

// The parts of a text in their order. A table has a line of headings, a rule of dashes below it, and rows to
// the next empty line; cells stand under the dashes of their columns. Where a row does not, it is all text.
std::vector<TextOrTable> tables_in(std::string_view text);

}  // namespace headwater
