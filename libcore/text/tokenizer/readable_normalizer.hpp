// A normalizer without what it writes for the decoder to undo, as U+2581 for a space: what joining the tokens
// of a text is held against.
#pragma once

#include "support/json.hpp"
#include "text/tokenizer/decoder.hpp"

namespace headwater {

// The member "normalizer" of a tokenizer.json, read before; null where nothing is left of it.
Json readable_normalizer(const Json& part, const TokenDecoder& decoder);

}  // namespace headwater
