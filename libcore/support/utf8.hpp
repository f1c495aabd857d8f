// The shape of UTF-8 (RFC 3629), and code points that are not seen; everything else that needs character
// properties is in text/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headwater {

// Bytes of the well-formed sequence at the start of `text` (1 to 4), or 0 if there is none.
std::size_t utf8_sequence_length(std::string_view text);

// Offset of the first byte that is not part of a well-formed sequence, or npos.
std::size_t find_invalid_utf8(std::string_view text);

// Code points in well-formed text; an ill-formed byte counts as one.
std::size_t count_code_points(std::string_view text);

// Decodes the sequence at text[at] and moves `at` after it; the text must be well-formed.
char32_t next_code_point(std::string_view text, std::size_t& at);

// Whether `at`, of well-formed text, is not where a character begins.
inline bool is_inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

void append_utf8(std::string& out, char32_t code_point);

// U+FEFF, which some editors put before a text. It is no part of the text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
std::string_view without_byte_order_mark(std::string_view text);

// Marks that turn the direction of the text around them: a name with one reads as another name.
constexpr bool is_bidi_control(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// The same, and what takes no room: line separators, U+200B, U+2060 and their like, tags. Not U+200C and
// U+200D, with which Persian, Hindi and emoji are spelled.
constexpr bool is_invisible_control(char32_t c) {
  return is_bidi_control(c) || c == 0x00AD || c == 0x180E || c == 0x200B || c == 0x2028 || c == 0x2029 ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
         (c >= 0xE0000 && c <= 0xE007F);
}

}  // namespace headwater
