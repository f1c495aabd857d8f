// Beam search over several prompts at once.
#pragma once

#include "decoding/decoding_group.hpp"

namespace headwater {

// Beam search (Sutskever et al. 2014): num_beams hypotheses of each prompt side by side, n_best of those that
// ended.
void decode_with_beams(const DecodingGroup& group);

}  // namespace headwater
