#include "text/unicode/byte_level.hpp"

#include "support/utf8.hpp"

namespace headwater {

std::array<char32_t, 256> byte_level_alphabet() {
  std::array<char32_t, 256> alphabet{};
  char32_t next = 0x100;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool stands_for_itself = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    alphabet[byte] = stands_for_itself ? byte : next++;
  }
  return alphabet;
}

std::string byte_level_text(std::string_view bytes) {
  static const std::array<char32_t, 256> kAlphabet = byte_level_alphabet();
  std::string text;
  for (const char byte : bytes) append_utf8(text, kAlphabet[static_cast<unsigned char>(byte)]);
  return text;
}

bool append_byte_level_bytes(std::string_view text, std::string& bytes) {
  constexpr std::size_t kCodePoints = 0x100 + 68;
  static const std::array<std::int16_t, kCodePoints> kBytes = [] {
    std::array<std::int16_t, kCodePoints> table{};
    table.fill(-1);
    const std::array<char32_t, 256> alphabet = byte_level_alphabet();
    for (std::size_t byte = 0; byte < 256; ++byte) table[alphabet[byte]] = static_cast<std::int16_t>(byte);
    return table;
  }();
  const std::size_t before = bytes.size();
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code_point = next_code_point(text, at);
    if (code_point >= kCodePoints || kBytes[code_point] < 0) {
      bytes.resize(before);
      return false;
    }
    bytes.push_back(static_cast<char>(kBytes[code_point]));
  }
  return true;
}

}  // namespace headwater
