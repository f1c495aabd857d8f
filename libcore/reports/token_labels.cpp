#include "reports/token_labels.hpp"

#include <algorithm>

#include "reports/svg.hpp"
#include "support/utf8.hpp"

namespace headwater {

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
