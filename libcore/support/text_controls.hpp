// Code points that are not seen, and make a text look like another one.
#pragma once

namespace headwater {

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
