// Loss and accuracy of an encoder-decoder on pairs that are not trained on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/encoder_decoder.hpp"
#include "training/objective.hpp"

namespace headwater {

struct IdPair {
  std::vector<std::int32_t> source;  // at most the model's length
  std::vector<std::int32_t> target;  // start token, words, end token; at most the model's length + 1
};

// Totals over all pairs, in batches of `batch_sequences` in their order. No pair has an empty source or a
// target of less than two ids.
LossTotals evaluate_pairs(const EncoderDecoder& model, Arena& arena, std::span<const IdPair> pairs,
                          std::int64_t batch_sequences);

}  // namespace headwater
