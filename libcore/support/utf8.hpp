// The shape of UTF-8 (RFC 3629); everything that needs character properties is in text/.
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

void append_utf8(std::string& out, char32_t code_point);

// U+FEFF, which some editors put before a text. It is no part of the text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace headwater
