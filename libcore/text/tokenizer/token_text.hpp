// Tokens for readers.
#pragma once

#include <string>
#include <string_view>

namespace headwater {

// A piece of bytes written as characters (ByteLevel): its text; bytes that are parts of a character are
// <0xC3>. A surface that is none stays as it is.
std::string text_of_byte_level(std::string_view surface);
// A piece <0x41> of byte fallback: the character A. One that is no character by itself, and every other
// surface, stays as it is.
std::string text_of_byte_piece(std::string_view surface);
// A space is U+2581; TAB, LF, VT, FF, CR are \t \n \v \f \r, other control characters <0x1B>.
std::string one_line(std::string_view text);

}  // namespace headwater
