#include "cli/bad_bytes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "support/utf8.hpp"

namespace headwater::cli {

// ASCII eight bytes at a time.
std::size_t find_bad_byte(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  constexpr std::uint64_t kHigh = 0x8080808080808080u;
  std::size_t at = 0;
  while (at < text.size()) {
    while (at + 8 <= text.size()) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + at, 8);
      if (((word | (word - kOnes)) & kHigh) != 0) break;  // a high bit, or a zero byte (it borrows)
      at += 8;
    }
    const std::size_t stop = std::min(text.size(), at + 8);
    while (at < stop) {
      const unsigned char byte = static_cast<unsigned char>(text[at]);
      const std::size_t length = byte < 0x80 ? (byte != 0 ? 1 : 0) : utf8_sequence_length(text.substr(at));
      if (length == 0) return at;
      at += length;
    }
  }
  return std::string_view::npos;
}

std::string name_of_bad_byte(char bad) {
  if (bad == '\0') return "a NUL byte";
  constexpr char kHex[] = "0123456789abcdef";
  const unsigned char byte = static_cast<unsigned char>(bad);
  std::string name = "invalid UTF-8 at byte 0x";
  name += kHex[byte >> 4];
  name += kHex[byte & 15];
  return name;
}

std::string_view cure_of_file(std::string_view first_line) {
  const bool is_utf16 = first_line.starts_with("\xFF\xFE") || first_line.starts_with("\xFE\xFF");
  return is_utf16 ? "it looks like UTF-16: iconv -f UTF-16 -t UTF-8 converts it" : std::string_view();
}

std::string with_bad_bytes_replaced(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t bad = find_bad_byte(text);
    out += text.substr(0, bad);
    if (bad == std::string_view::npos) return out;
    append_utf8(out, U'\uFFFD');
    text.remove_prefix(bad + 1);
  }
}

}  // namespace headwater::cli
