// Bytes that a line of text must not have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headwater::cli {

// Offset of the first byte that is NUL or no part of a well-formed UTF-8 sequence, or npos.
std::size_t find_bad_byte(std::string_view text);

// "a NUL byte", or "invalid UTF-8 at byte 0xff".
std::string name_of_bad_byte(char bad);
// What to do about a file whose first bytes say that it is UTF-16; empty: they do not.
std::string_view cure_of_file(std::string_view first_line);

// `text` with U+FFFD for each such byte.
std::string with_bad_bytes_replaced(std::string_view text);

}  // namespace headwater::cli
