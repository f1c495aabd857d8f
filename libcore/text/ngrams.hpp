// n-grams of tokens, joined by one space.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace headwater {

// All single tokens, then all pairs, ... up to `most` tokens, each group from the left: the framework's order
// (FORMATS.md 6.4).
std::vector<std::string> ngrams(std::span<const std::string> tokens, std::size_t most);

}  // namespace headwater
