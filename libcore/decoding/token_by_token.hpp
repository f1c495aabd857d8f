// One sequence a prompt, a token a step.
#pragma once

#include <cstddef>

#include "decoding/decoding_group.hpp"
#include "decoding/next_token.hpp"

namespace headwater {

// One hypothesis a prompt; `first`: the number of the group's first one.
void decode_token_by_token(const DecodingGroup& group, const TokenByToken& how, std::size_t first);

}  // namespace headwater
