// What the unknown tokens of a piece stand for: a subword model says where they are, not which text they
// cover.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/vocabulary.hpp"

namespace headwater {

// A surface for each of `ids`, which are those of `piece`: an unknown token is shown as the text between its
// neighbours; as the unknown token itself where that text is an ordinary token's, or where the surfaces do
// not give the piece (bytes, prefixes inside a word). `word_end` is what the model adds to a piece before it
// looks at it, as </w>.
std::vector<std::string> surfaces_with_unknown_text(std::string_view piece, std::string_view word_end,
                                                    std::span<const std::int32_t> ids,
                                                    const Vocabulary& vocabulary);
// Calls use(surface) for each of them.
void for_each_surface(std::string_view piece, std::string_view word_end, std::span<const std::int32_t> ids,
                      const Vocabulary& vocabulary, const std::function<void(std::string_view)>& use);

}  // namespace headwater
