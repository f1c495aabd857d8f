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

// What Table writes is found again, whatever stands around it and in it.
TEST_CASE("a table in a text is found with its cells, and text stays text") {
  Table table({{"metric"}, {"value", Table::Align::right}, {"details"}});
  table.add_row({"loss", "0.4321", "over 1,250 samples"});
  table.add_row({"größe 字", "10.5", ""});
  const std::vector<TextOrTable> parts = tables_in("before\n\n" + table.text() + "\nafter  x\n");
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].text == "before\n\n");
  REQUIRE(parts[1].table);
  CHECK(parts[1].table->columns()[1].heading == "value");
  CHECK(parts[1].table->columns()[1].align == Table::Align::right);
  CHECK(parts[1].table->columns()[2].align == Table::Align::left);
  CHECK(parts[1].table->rows() == table.rows());
  CHECK(parts[2].text == "\nafter  x\n");
}

TEST_CASE("two tables, and lines that only look like one") {
  const std::vector<TextOrTable> two = tables_in("a  b\n-  -\n1  2\n\nc\n-\n3\n");
  REQUIRE(two.size() == 2);
  CHECK(two[0].table->rows() == std::vector<std::vector<std::string>>{{"1", "2"}});
  CHECK(two[1].table->rows() == std::vector<std::vector<std::string>>{{"3"}});
  for (const char* text : {"a  b\n-  -\n1 x2\n", "---\n---x\n", "- a\n- b\n", "text\n-- x\n", ""}) {
    CAPTURE(text);
    for (const TextOrTable& part : tables_in(text)) CHECK(!part.table);
  }
}
