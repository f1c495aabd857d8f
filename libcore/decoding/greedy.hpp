// The most likely token at each step.
#pragma once

#include <vector>

#include "decoding/decoder.hpp"

namespace headwater {

class Greedy : public NextToken {
 public:
  // `output`: the model's. The first of equal logits wins.
  Greedy(const OutputLayer& output, bool wants_scores) : output_(output), wants_scores_(wants_scores) {}
  void choose(const ForwardContext& context, const StepRows& rows, std::span<Chosen> chosen) const override;

 private:
  const OutputLayer& output_;
  bool wants_scores_;
};

// Decoder::decode for one time: the ids alone.
std::vector<std::vector<std::int32_t>> decode_greedily(const CachedModel& model, const Prompts& prompts,
                                                       const GenerationSettings& settings);

}  // namespace headwater
