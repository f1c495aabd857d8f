// The arguments that a directory of sentence-transformers 6 keeps for its library: those of
// sentence_bert_config.json.
#pragma once

#include <cstdint>

#include "support/json.hpp"

namespace headwater {

// The longest text in tokens that they ask for; 0: none does. `tokenizer_config`: tokenizer_config.json, or
// null. Throws Error naming the first argument that would change a vector and is not read.
std::int64_t length_of_arguments(const Json& config, const Json& tokenizer_config);

}  // namespace headwater
