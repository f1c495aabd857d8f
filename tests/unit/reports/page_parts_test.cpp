// One page in two forms; and texts that try to be more than text.
#include "reports/page_parts.hpp"

#include <doctest/doctest.h>

#include "support/bytes.hpp"

using namespace headwater;

namespace {

std::string fenced(std::string_view text) { return markdown_of(PageParts{page_block(text)}); }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_CASE("a block stands between fences that are not in it") {
  CHECK(fenced("a\n") == "\n```\na\n```\n");
  CHECK(fenced("a") == "\n```\na\n```\n");
  CHECK(fenced("````\n`") == "\n`````\n````\n`\n`````\n");
}

TEST_CASE("the same parts as Markdown and as HTML; pictures and what is folded are of HTML alone") {
  const PageParts parts{page_heading("test"), page_paragraph("a < b"), page_block("x  y\n1\t2\n"),
                        page_picture("loss & more", "<svg/>"), page_folded("recipe", "name: r\n")};
  CHECK(markdown_of(parts) == "\n## test\n\na < b\n\n```\nx  y\n1\t2\n```\n");
  const std::string html = report_html("run", parts, {});
  CHECK(has(html, "<h1>run</h1>\n<h3>test</h3>\n<p>a &lt; b</p>\n<pre>x  y\n1\t2</pre>\n"));
  CHECK(has(html, "alt=\"loss &amp; more\" src=\"data:image/svg+xml;base64," + to_base64("<svg/>") + "\""));
  CHECK(has(html, "<details><summary>recipe</summary>\n<pre>name: r</pre>\n</details>"));
}

TEST_CASE("a table is a block of Markdown, and has cells in HTML") {
  Table table({{"run"}, {"<loss>", Table::Align::right}});
  table.add_row({"a & b", "1.5"});
  const PageParts parts{page_table(table)};
  CHECK(markdown_of(parts) == "\n```\n" + table.text() + "```\n");
  const std::string html = report_html("t", parts, {});
  CHECK(has(html, "<tr><th>run</th><th class=\"right\">&lt;loss&gt;</th></tr>"));
  CHECK(has(html,
            "<tr><td data-name=\"run\">a &amp; b</td><td class=\"right\" "
            "data-name=\"&lt;loss&gt;\">1.5</td></tr>"));
}

TEST_CASE("several sections are folded, one is not") {
  const std::vector<PageSection> sections{{"one", {page_paragraph("1")}}, {"two", {page_paragraph("2")}}};
  CHECK(has(report_html("t", {}, sections), "<summary>two</summary>\n<p>2</p>\n</details>"));
  CHECK(!has(report_html("t", {}, std::vector{sections.front()}), "<summary>"));
}

TEST_CASE("no text of a page runs, or turns the direction of what follows") {
  constexpr std::string_view kHostile = "</pre></summary><script>alert(1)</script>\"'>\xE2\x80\xAE\x01";
  const PageParts parts{page_heading(kHostile), page_paragraph(kHostile), page_block(kHostile),
                        page_picture(kHostile, std::string(kHostile)), page_folded(kHostile, kHostile)};
  const std::vector<PageSection> sections{{std::string(kHostile), parts}, {"b", {}}};
  const std::string html = report_html(kHostile, parts, sections);
  CHECK(!has(html, "<script"));
  CHECK(!has(html, "\xE2\x80\xAE"));
  CHECK(!has(html, "\x01"));
  CHECK(has(html, "default-src 'none'"));
}
