// The most likely token at each step.
#pragma once

#include <span>

#include "decoding/next_token.hpp"
#include "layers/output_layer.hpp"

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

}  // namespace headwater
