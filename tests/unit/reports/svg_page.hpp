// Whether what is written in a picture lies on its page.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "reports/svg.hpp"

namespace headwater {

// The value of an attribute in an element, or "".
inline std::string attribute_of(std::string_view element, std::string_view name) {
  const std::string begin = " " + std::string(name) + "=\"";
  const std::size_t at = element.find(begin);
  if (at == element.npos) return "";
  const std::string_view rest = element.substr(at + begin.size());
  return std::string(rest.substr(0, rest.find('"')));
}

// The first text that is not turned and leaves the page to the left or the right; "" where all are on it.
inline std::string text_beyond_page(const std::string& svg) {
  const double page = std::stod(attribute_of(svg.substr(svg.find("<svg")), "width"));
  for (std::size_t at = 0; (at = svg.find("<text ", at)) != svg.npos; ++at) {
    const std::size_t open = svg.find('>', at), close = svg.find("</text>", at);
    const std::string element = svg.substr(at, open - at), words = svg.substr(open + 1, close - open - 1);
    if (attribute_of(element, "transform") != "") continue;
    double font = std::stod(attribute_of(element, "font-size"));
    if (attribute_of(element, "font-weight") == "bold") font *= 1.1;
    const double width = svg_text_width(words, font), x = std::stod(attribute_of(element, "x"));
    const std::string anchor = attribute_of(element, "text-anchor");
    const double left = anchor == "end" ? x - width : anchor == "middle" ? x - width / 2 : x;
    if (left < 0 || left + width > page) return words;
  }
  return "";
}

}  // namespace headwater
