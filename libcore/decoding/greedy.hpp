// Greedy decoding of an encoder-decoder with key and value caches: the most likely token at each step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layers/packed_weights.hpp"
#include "models/encoder_decoder.hpp"

namespace headwater {

struct GreedySettings {
  std::int32_t start_id = 2, end_id = 3;
  std::vector<std::int32_t> never;  // ids that are never chosen
  std::int64_t choices = 0;  // only ids below are chosen (rows of the output layer without a token); 0: all
  std::int64_t most_tokens = 0;  // without the end token; 0: the model's length
};

// Decodes with one model again and again: packed weights and working memory are kept. The model's weights
// must not change while this lives.
class GreedyDecoder {
 public:
  explicit GreedyDecoder(const EncoderDecoder& model);

  // For each source sequence (none empty, none longer than the model's length) the ids that follow the start
  // token, without the end token. A result depends on its own source only: the same for every batch.
  std::vector<std::vector<std::int32_t>> decode(const PackedTokens& source, const GreedySettings& settings);

 private:
  const EncoderDecoder& model_;
  PackedWeights packed_;
  Arena arena_;
};

// The same for one time.
std::vector<std::vector<std::int32_t>> decode_greedily(const EncoderDecoder& model,
                                                       const PackedTokens& source,
                                                       const GreedySettings& settings);

}  // namespace headwater
