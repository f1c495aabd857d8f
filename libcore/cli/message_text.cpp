#include "cli/message_text.hpp"

#include <cctype>

#include "support/utf8.hpp"

namespace headwater::cli {

std::string printable(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(at));
    const unsigned char byte = static_cast<unsigned char>(text[at]);
    const bool is_c1 = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    const bool is_control = (byte < 0x20 && byte != '\n') || byte == 0x7F;
    const std::size_t taken = length == 0 ? 1 : length;
    if (length == 0 || is_c1 || is_control) {
      for (const char c : text.substr(at, taken)) {
        const unsigned char b = static_cast<unsigned char>(c);
        (out += "\\x") += {kHex[b >> 4], kHex[b & 15]};
      }
    } else {
      out += text.substr(at, taken);
    }
    at += taken;
  }
  return out;
}

std::string lower_first(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

}  // namespace headwater::cli
