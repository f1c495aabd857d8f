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

TEST_CASE("a table shows no control character and no mark of direction") {
  Table table({{"to\u202Ename"}, {"count", Table::Align::right}});
  table.add_row({"a\x1B[2J\nb", "1"});
  table.add_row({"gpj.\u2067exe", "22"});
  CHECK(table.text() ==
        "to\\xe2\\x80\\xaename   count\n"
        "-------------------  -----\n"
        "a\\x1b[2J\\x0ab            1\n"
        "gpj.\\xe2\\x81\\xa7exe     22\n");
}

TEST_CASE("a table without rows is its head; a row of another size is an error") {
  Table table({{"a"}, {"b"}});
  CHECK(table.text() == "a  b\n-  -\n");
  CHECK_THROWS_AS(table.add_row({"x"}), Error);
}
