// Which option a mistyped one was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

// The name in `known` that `typed` is nearest to, all without leading hyphens: misspelled, cut short (beam:
// num-beams), or with other hyphens (max_length_ratio: max-length-ratio). Empty where none is near.
std::string_view nearest_option(std::string_view typed, const std::vector<std::string>& known);

}  // namespace headwater::cli
