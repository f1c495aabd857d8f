#include "reports/svg.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace headwater;

TEST_CASE("XML text holds no markup, no control and nothing that turns the text around it") {
  CHECK(xml_text("a<b>&\"") == "a&lt;b&gt;&amp;&quot;");
  CHECK(xml_text("a\x01\x7F\xFF") == "a␁␡\uFFFD");
  for (const char* mark :
       {"\u202E", "\u202A", "\u2066", "\u2069", "\u200E", "\u200F", "\u061C", "\u200B", "\u2060", "\u2028",
        "\u2029", "\uFEFF", "\u00AD", "\u180E", "\U000E0041", "\uFFF9"}) {
    CHECK(xml_text("a" + std::string(mark) + "b") == "a\uFFFDb");
    CHECK(shortened("a" + std::string(mark) + "b", 5) == "a\uFFFDb");
  }
  // These are how words are spelled.
  for (const char* word : {"می\u200Cخواهم", "क्\u200Dष", "👩\u200D🔬", "❤\uFE0F", "מילה"})
    CHECK(xml_text(word) == word);
}

TEST_CASE("invisible controls count as what stands for them") {
  std::string hidden;
  for (int i = 0; i < 100; ++i) hidden += "\u202E";
  std::string marked = "a";
  for (int i = 0; i < 300000; ++i) marked += "\u0301";
  CHECK(shortened(marked + "bcdef", 4) == marked + "bc…");  // in linear time
  CHECK(shortened(hidden, 4) == "\uFFFD\uFFFD\uFFFD…");
}
