// What decoding may generate, and when it ends.
#pragma once

#include <cstdint>
#include <vector>

namespace headwater {

struct GenerationSettings {
  std::int32_t start_id = 2;        // what an encoder-decoder's decoder reads first
  std::int32_t end_id = 3;          // ends a sequence and is no part of it
  std::int64_t max_new_tokens = 0;  // without the end token; 0: as many as the model's length allows
  std::vector<std::int32_t> suppress_tokens = {};  // are never chosen
  std::int64_t vocabulary_limit = 0;  // only ids below are chosen, where the output layer has rows
                                      // without a token; 0: all
};

}  // namespace headwater
