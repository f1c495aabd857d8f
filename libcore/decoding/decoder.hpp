// Continues sequences with key and value caches: one token of each sequence a step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/generation_settings.hpp"
#include "decoding/hypothesis.hpp"
#include "decoding/next_token.hpp"
#include "layers/packed_weights.hpp"
#include "models/cached_model.hpp"

namespace headwater {

// Decodes with one model again and again: packed weights and working memory are kept. The model's weights
// must not change while this lives.
class Decoder {
 public:
  explicit Decoder(const CachedModel& model, ComputeType compute_type = ComputeType::float32);

  // For each prompt, none longer than the model's length unless settings.slides, what follows it: the n_best
  // hypotheses of beam search, or fewer where there are fewer, and the one of greedy decoding where num_beams
  // is 1. A result depends on its own prompt only: the same for every batch, of either compute type. Throws
  // LineError with the prompt's number where what the output layer reads is not finite, or so large that its
  // logits may not be.
  std::vector<Hypotheses> decode(const Prompts& prompts, const GenerationSettings& settings);
  // One hypothesis each, by another choice.
  std::vector<Hypotheses> decode(const Prompts& prompts, const GenerationSettings& settings,
                                 const TokenByToken& how);

 private:
  // decode_group(group, number of its first prompt) for groups that run at the same time.
  template <class F>
  std::vector<Hypotheses> decode_groups(const Prompts& prompts, const GenerationSettings& settings,
                                        const F& decode_group);

  const CachedModel& model_;
  PackedWeights packed_;
  double largest_hidden_;  // Euclidean length of a row for which all logits are finite
  Arena arena_;
};

}  // namespace headwater
