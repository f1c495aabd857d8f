// The normalizer "Precompiled" of tokenizer.json: SentencePiece's charsmap as Hugging Face's library applies
// it.
#pragma once

#include <string>
#include <string_view>

#include "text/unicode/charsmap.hpp"

namespace headwater {

// A grapheme cluster of less than 6 bytes is replaced as a whole where a rule fits its beginning, of several
// the one with the fewest bytes; else each of its characters alone. (SentencePiece takes the longest rule,
// wherever it ends.) Throws Error where the result has more than `most` bytes.
std::string apply_to_graphemes(const Charsmap& charsmap, std::string_view text, std::size_t most);

}  // namespace headwater
