// A page of a report as its parts, which become Markdown for a terminal and HTML for a browser.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/table.hpp"

namespace headwater {

struct PagePart {
  enum class Kind {
    heading,
    paragraph,
    block,    // text as it is, lines and columns kept
    table,    // of Markdown a block
    picture,  // an SVG 1.1 document; of HTML alone
    folded    // a block behind its name, which shows it when it is clicked; of HTML alone
  };
  Kind kind = Kind::paragraph;
  std::string text;
  std::string name = {};           // of a picture what it shows, of what is folded its line
  std::vector<Table> tables = {};  // of a table that one
};
using PageParts = std::vector<PagePart>;

PagePart page_heading(std::string_view text);
PagePart page_paragraph(std::string_view text);
PagePart page_block(std::string_view text);
PagePart page_table(const Table& table);
PagePart page_picture(std::string_view name, std::string svg);
PagePart page_folded(std::string_view name, std::string_view text);
void append(PageParts& parts, PageParts more);

// Each with an empty line before it; a block between fences that do not stand in it.
std::string markdown_of(std::span<const PagePart> parts);

// A document of HTML with this style, whose body is `body` after its title; nothing is fetched, and scripts
// run only where they stand in it and `has_script` says that they may.
std::string html_document(std::string_view title, std::string_view style, std::string_view body,
                          bool has_script);

// One of several subjects of a page in HTML.
struct PageSection {
  std::string name;
  PageParts parts;
};
// A document of HTML that fetches nothing and runs nothing: texts are texts in it whatever they hold, and
// pictures are images, in which no script runs. `begin` stands before the sections; of several each is folded
// behind its name.
std::string report_html(std::string_view title, std::span<const PagePart> begin,
                        std::span<const PageSection> sections);

// The text of the files in libcore/reports/page.
extern const std::string_view kAttentionPageHtml, kAttentionPageCss, kAttentionPageJs, kReportCss;

}  // namespace headwater
