// Prompts of an encoder-decoder: the start token alone for each source.
#pragma once

#include <cstdint>

#include "models/cached_model.hpp"

inline headwater::Prompts start_prompts(const headwater::PackedTokens& source, std::int32_t start_id) {
  headwater::Prompts prompts;
  prompts.clear();
  for (headwater::Index s = 0; s < source.sequences(); ++s) prompts.add(source.sequence(s), {&start_id, 1});
  prompts.finish();
  return prompts;
}
