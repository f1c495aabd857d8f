#include "reports/svg.hpp"

#include <algorithm>
#include <cmath>

#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

static constexpr double kColumn = 0.61;  // width of one column of text in units of the font size

std::string xml_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(at));
    if (length == 0) {
      out += "\uFFFD";
      ++at;
      continue;
    }
    const std::string_view sequence = text.substr(at, length);
    const char32_t c = next_code_point(text, at);
    if (c < 0x20) {
      append_utf8(out, 0x2400 + c);
    } else if (c == 0x7F) {
      out += "\u2421";
    } else if ((c & 0xFFFE) == 0xFFFE || (c >= 0x80 && c < 0xA0) || is_invisible_control(c)) {
      out += "\uFFFD";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += sequence;
    }
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t columns) {
  std::string whole;  // well-formed, whatever came
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at, length = utf8_sequence_length(text.substr(at));
    if (length == 0) ++at;
    if (length == 0 || is_invisible_control(next_code_point(text, at))) {
      whole += "\uFFFD";
    } else {
      whole += text.substr(begin, length);
    }
  }
  if (display_width(whole) <= columns) return whole;
  std::size_t kept = 0, width = 0;
  for (std::size_t at = 0; at < whole.size();) {
    next_code_point(whole, at);
    width += display_width(std::string_view(whole).substr(kept, at - kept));
    if (width + 1 > columns) break;
    kept = at;
  }
  return whole.substr(0, kept) + "…";
}

double svg_text_width(std::string_view text, double font) {
  return kColumn * font * static_cast<double>(display_width(text));
}

std::string svg_fitted(std::string_view text, double font, double width) {
  return shortened(text, static_cast<std::size_t>(std::max(1.0, width / (kColumn * font))));
}

std::string svg_number(double value) {
  std::string text = format_fixed(value, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string svg_attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + svg_number(value) + "\"";
}

std::string svg_text(double x, double y, double font, std::string_view color, std::string_view anchor,
                     std::string_view words, std::string_view more) {
  std::string element =
      "<text" + svg_attribute("x", x) + svg_attribute("y", y) + svg_attribute("font-size", font);
  element.append(" fill=\"")
      .append(color)
      .append("\" text-anchor=\"")
      .append(anchor)
      .append("\"")
      .append(more)
      .append(">");
  return element + xml_text(words) + "</text>\n";
}

std::string svg_document(double width, double height, std::string_view title, std::string_view body) {
  const std::string w = svg_number(std::ceil(width)), h = svg_number(std::ceil(height));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
         w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " + h +
         "\" role=\"img\" font-family=\"'DejaVu Sans','Noto Sans',Verdana,Arial,sans-serif\">\n<title>" +
         xml_text(title) + "</title>\n<rect width=\"" + w + "\" height=\"" + h + "\" fill=\"#ffffff\"/>\n" +
         std::string(body) + "</svg>\n";
}

std::vector<double> axis_ticks(double least, double most, int max_ticks) {
  const double magnitude = std::max(std::abs(least), std::abs(most));
  if (!(most - least > 1e-9 * magnitude)) {  // as good as one value: some room around it
    const double room = magnitude == 0 ? 1 : magnitude / 10;
    least -= room;
    most += room;
  }
  const double rough = (most - least) / max_ticks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0}) {
    // Floor and ceiling add up to two steps to the range.
    const double count =
        std::ceil(most / (digit * power) - 1e-9) - std::floor(least / (digit * power) + 1e-9);
    if (count <= max_ticks) step = digit * power;
  }
  const double first = std::floor(least / step + 1e-9), last = std::ceil(most / step - 1e-9);
  std::vector<double> ticks;
  for (int i = 0; i <= static_cast<int>(last - first); ++i) ticks.push_back((first + i) * step);
  return ticks;
}

std::string tick_text(double value, double step) {
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
  return format_fixed(std::abs(value) < step / 1000 ? 0 : value, digits);
}

std::string with_visible_spaces(std::string_view token) {
  std::string out;
  for (std::size_t at = 0; at < token.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_sequence_length(token.substr(at)), 1);
    const std::string_view sequence = token.substr(at, length);
    const bool is_joining = sequence == "\u00A0" || sequence == "\u202F" || sequence == "\u2007";
    const bool is_space = sequence == " " || sequence == "\u2581" || sequence == "\u3000" ||
                          (sequence >= "\u2000" && sequence <= "\u200A");
    out += is_joining ? "\u237D" : is_space ? "\u2423" : sequence;
    at += length;
  }
  return out;
}

std::vector<std::string> token_labels(const std::vector<std::string>& tokens) {
  constexpr std::size_t kLabelColumns = 16;
  std::vector<std::string> labels;
  for (const std::string& token : tokens)
    labels.push_back(shortened(with_visible_spaces(token), kLabelColumns));
  return labels;
}

double widest_label(const std::vector<std::string>& labels, double font) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, svg_text_width(label, font));
  return width;
}

}  // namespace headwater
