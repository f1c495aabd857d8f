// What Table writes is found again, whatever stands around it and in it.
#include "reports/table.hpp"

#include <doctest/doctest.h>

using namespace headwater;

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
