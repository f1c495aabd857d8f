// The most likely token at each step.
#pragma once

#include <vector>

#include "decoding/decoder.hpp"

namespace headwater {

class Greedy : public NextToken {
 public:
  // `output`: the model's. The first of equal logits wins.
  Greedy(const OutputLayer& output, const GenerationSettings& settings);
  // The context has packed weights.
  void choose(const ForwardContext& context, const Variable& hidden,
              std::span<std::int32_t> next) const override;

 private:
  const OutputLayer& output_;
  Index vocabulary_limit_;
  std::vector<std::int32_t> suppress_tokens_;
};

// Decoder::decode with the greedy choice, for one time.
std::vector<std::vector<std::int32_t>> decode_greedily(const CachedModel& model, const Prompts& prompts,
                                                       const GenerationSettings& settings);

}  // namespace headwater
