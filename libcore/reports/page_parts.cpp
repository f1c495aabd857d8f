#include "reports/page_parts.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "reports/svg.hpp"
#include "support/bytes.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"

namespace headwater {
namespace {

using PartKind = PagePart::Kind;

std::string fenced(std::string_view text) {
  std::size_t longest = 2;
  for (std::size_t at = text.find('`'); at != std::string_view::npos; at = text.find('`', at)) {
    const std::size_t end = std::min(text.find_first_not_of('`', at), text.size());
    longest = std::max(longest, end - at);
    at = end;
  }
  const std::string fence(longest + 1, '`');
  const bool is_ended = text.empty() || text.ends_with('\n');
  return fence + "\n" + std::string(text) + (is_ended ? "" : "\n") + fence;
}

// xml_text() shows line ends and TABs, which a block has.
std::string preformatted(std::string_view text) {
  std::string out = "<pre>";
  for (const std::string_view line : split(text, '\n')) {
    for (const std::string_view field : split(line, '\t')) out += xml_text(field) + '\t';
    out.back() = '\n';
  }
  while (out.ends_with('\n')) out.pop_back();
  return out + "</pre>\n";
}

// How wide a picture says that it is; 0 where it does not.
double width_of(std::string_view svg) {
  constexpr std::string_view kName = " width=\"";
  const std::size_t at = svg.find(kName);
  return at == svg.npos ? 0 : std::strtod(std::string(svg.substr(at + kName.size(), 12)).c_str(), nullptr);
}

// A name may be broken after its marks, as those of paths and keys.
std::string breakable(std::string_view text) {
  std::string html;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("_/", at), text.size() - 1) + 1;
    html += xml_text(text.substr(at, end - at)) + (end < text.size() ? "<wbr>" : "");
    at = end;
  }
  return html;
}

// Where the window is narrow each cell has a line, which begins with its heading.
std::string html_of(const Table& table) {
  constexpr std::size_t kFewColumns = 5;
  const bool is_wide = table.columns().size() > kFewColumns;
  std::string html = "<div class=\"table" + std::string(is_wide ? " wide" : "") + "\"><table>\n";
  const auto class_of = [&](std::size_t c) {
    return table.columns()[c].align == Table::Align::right ? " class=\"right\"" : "";
  };
  html += "<tr>";
  for (std::size_t c = 0; c < table.columns().size(); ++c)
    html += "<th" + std::string(class_of(c)) + ">" + breakable(table.columns()[c].heading) + "</th>";
  html += "</tr>\n";
  for (const std::vector<std::string>& row : table.rows()) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      html += "<td" + std::string(class_of(c)) + " data-name=\"" + xml_text(table.columns()[c].heading) +
              "\">" + breakable(row[c]) + "</td>";
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

// Tables in a text have cells, too.
std::string block_html(std::string_view text) {
  std::string html;
  for (const TextOrTable& part : tables_in(text))
    html += part.table ? html_of(*part.table) : preformatted(part.text);
  return html;
}

std::string html_of(const PagePart& part) {
  switch (part.kind) {
    case PartKind::heading:
      return "<h3>" + xml_text(part.text) + "</h3>\n";
    case PartKind::paragraph:
      return "<p>" + xml_text(part.text) + "</p>\n";
    case PartKind::block:
      return block_html(part.text);
    case PartKind::table:
      return html_of(part.tables.front());
    case PartKind::folded:
      return "<details><summary>" + xml_text(part.name) + "</summary>\n" + block_html(part.text) +
             "</details>\n";
    case PartKind::picture:
      break;
  }
  // Two narrow pictures stand beside each other where there is room; each fits into the window.
  constexpr double kNarrow = 700;
  const double width = width_of(part.text);
  const std::string look = width > 0 && width <= kNarrow ? " class=\"narrow\"" : "";
  return "<figure" + look + "><img alt=\"" + xml_text(part.name) + "\" src=\"data:image/svg+xml;base64," +
         to_base64(part.text) + "\"><figcaption>" + xml_text(part.name) + "</figcaption></figure>\n";
}

std::string html_of(std::span<const PagePart> parts) {
  std::string html;
  for (const PagePart& part : parts) html += html_of(part);
  return html;
}

}  // namespace

PagePart page_heading(std::string_view text) { return {PartKind::heading, std::string(text)}; }
PagePart page_paragraph(std::string_view text) { return {PartKind::paragraph, std::string(text)}; }
PagePart page_block(std::string_view text) { return {PartKind::block, std::string(text)}; }
PagePart page_table(const Table& table) { return {PartKind::table, table.text(), "", {table}}; }
PagePart page_picture(std::string_view name, std::string svg) {
  return {PartKind::picture, std::move(svg), std::string(name)};
}
PagePart page_folded(std::string_view name, std::string_view text) {
  return {PartKind::folded, std::string(text), std::string(name)};
}
void append(PageParts& parts, PageParts more) { std::ranges::move(more, std::back_inserter(parts)); }

std::string markdown_of(std::span<const PagePart> parts) {
  std::string text;
  for (const PagePart& part : parts) {
    if (part.kind == PartKind::heading) text += "\n## " + part.text + "\n";
    if (part.kind == PartKind::paragraph) text += "\n" + part.text + "\n";
    if (part.kind == PartKind::block || part.kind == PartKind::table) text += "\n" + fenced(part.text) + "\n";
  }
  return text;
}

std::string html_document(std::string_view title, std::string_view style, std::string_view body,
                          bool has_script) {
  const std::string name = xml_text(title);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
         "style-src "
         "'unsafe-inline'" +
         std::string(has_script ? "; script-src 'unsafe-inline'" : "") +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" + name +
         "</title>\n<style>\n" + std::string(style) + "</style>\n</head>\n<body>\n<h1>" + name + "</h1>\n" +
         std::string(body) + "</body>\n</html>\n";
}

std::string report_html(std::string_view title, std::span<const PagePart> begin,
                        std::span<const PageSection> sections) {
  std::string body = html_of(begin);
  for (const PageSection& section : sections) {
    const std::string parts = html_of(section.parts);
    body += sections.size() == 1 ? parts
                                 : "<details class=\"run\"><summary>" + xml_text(section.name) +
                                       "</summary>\n" + parts + "</details>\n";
  }
  return html_document(title, kReportCss, body, false);
}

}  // namespace headwater
