// Texts whose words begin with U+2581, as SentencePiece writes a space.
#pragma once

#include <algorithm>
#include <string_view>

namespace headwater {

inline constexpr std::string_view kWordMark = "\xE2\x96\x81";  // U+2581

// Bytes of the character at text[at], of well-formed UTF-8.
inline std::size_t character_bytes(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(length, text.size() - at);
}

// Where the word that begins at `begin` ends: before a mark that follows another character, or with the text.
inline std::size_t end_of_word(std::string_view text, std::size_t begin) {
  std::size_t at = begin;
  while (text.substr(at).starts_with(kWordMark)) at += kWordMark.size();
  return std::min(text.find(kWordMark, at), text.size());
}

}  // namespace headwater
