// Tokens for readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// A piece of bytes written as characters (ByteLevel): its text; bytes that are parts of a character are
// <0xC3>. A surface that is none stays as it is.
std::string text_of_byte_level(std::string_view surface);
// A piece <0x41> of byte fallback: the character A. One that is no character by itself, and every other
// surface, stays as it is.
std::string text_of_byte_piece(std::string_view surface);
// A space is U+2581; TAB, LF, VT, FF, CR are \t \n \v \f \r, other control characters <0x1B>.
std::string one_line(std::string_view text);

// The word, from 0, of each token of tokenizer.encode(text), of the first `most` at most (and of a text of
// many long words of fewer); words are what spaces and TABs separate. A word's tokens are those that encode()
// of the text up to its end has more than up to the end of the word before: so it is right whatever the
// tokenizer does to words, where it does not look across spaces; where it does, a token of two words is of
// the first.
std::vector<std::int32_t> words_of_tokens(const Tokenizer& tokenizer, std::string_view text,
                                          std::size_t most);

}  // namespace headwater
