#include "support/error.hpp"

#include <algorithm>
#include <vector>

#include "support/utf8.hpp"

namespace headwater {

std::string quote(std::string_view text) {
  constexpr std::size_t kMaxBytes = 80;
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_sequence_length(text.substr(at));
    if (out.size() + std::max<std::size_t>(length, 1) > kMaxBytes) {
      out += "...";
      break;
    }
    const unsigned char byte = static_cast<unsigned char>(text[at]);
    // C1 controls (U+0080..U+009F) drive terminals too; they are 0xC2 0x80..0x9F in UTF-8.
    const bool is_c1 = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    if (length == 0 || byte < 0x20 || byte == 0x7F || is_c1) {
      for (std::size_t i = 0; i < std::max<std::size_t>(length, 1); ++i) {
        const unsigned char b = static_cast<unsigned char>(text[at + i]);
        out += "\\x";
        out += kHex[b >> 4];
        out += kHex[b & 15];
      }
    } else {
      if (byte == '"' || byte == '\\') out += '\\';
      out += text.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return out + "\"";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace headwater
