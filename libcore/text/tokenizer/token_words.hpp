// Which word of a text each of its tokens is of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// The word, from 0, of each token of tokenizer.encode(text), of the first `most` at most (and of a text of
// many long words of fewer); words are what spaces and TABs separate. A word's tokens are those that encode()
// of the text up to its end has more than up to the end of the word before: so it is right whatever the
// tokenizer does to words, where it does not look across spaces; where it does, a token of two words is of
// the first.
std::vector<std::int32_t> words_of_tokens(const Tokenizer& tokenizer, std::string_view text,
                                          std::size_t most);

}  // namespace headwater
