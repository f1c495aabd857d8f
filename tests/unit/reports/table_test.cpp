#include "reports/table.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"

using namespace headwater;

TEST_CASE("columns are aligned by what they take on a screen") {
  Table table({{"name", Table::Align::left}, {"count", Table::Align::right}});
  table.add_row({"árbol", "7"});
  table.add_row({"日本", "1,000"});
  table.add_rule();
  table.add_row({"e\u0301", ""});
  CHECK(table.text() ==
        "name   count\n"
        "-----  -----\n"
        "árbol      7\n"
        "日本   1,000\n"
        "-----  -----\n"
        "e\u0301\n");
}

TEST_CASE("a table without rows is its head; a row of another size is an error") {
  Table table({{"a"}, {"b"}});
  CHECK(table.text() == "a  b\n-  -\n");
  CHECK_THROWS_AS(table.add_row({"x"}), Error);
}
