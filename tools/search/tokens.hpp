// The tokens of a text that was made, as JSON.
#pragma once

#include <cstdint>

#include "decoding/decoder.hpp"
#include "support/json.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater::search {

// An object for each token that has a score, and at last for the end token where it was chosen.
Json scored_tokens(const Hypothesis& hypothesis, const Tokenizer& tokenizer);

}  // namespace headwater::search
