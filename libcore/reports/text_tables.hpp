// Tables that stand in a text, as Table::text() writes them, found again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/table.hpp"

namespace headwater {

struct TextOrTable {
  std::string text;            // lines that are of no table
  std::optional<Table> table;  // or a table
};

// The parts of a text in their order. A table has a line of headings, a rule of dashes below it, and rows to
// the next empty line; cells stand under the dashes of their columns. Where a row does not, it is all text.
std::vector<TextOrTable> tables_in(std::string_view text);

}  // namespace headwater
