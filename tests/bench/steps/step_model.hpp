// What a row of the benchmark is made of: a model, its random batches, and what a batch costs at least.
#pragma once

#include "layers/transformer_stack.hpp"
#include "recipe/model_section.hpp"
#include "steps/batches.hpp"

namespace headwater::bench {

// Floating-point operations that a training step cannot do without: 6 for each weight and token it is applied
// to, attention over real pairs only.
inline double linear_flops(Index tokens, Index inputs, Index outputs) {
  return 6.0 * static_cast<double>(tokens) * static_cast<double>(inputs) * static_cast<double>(outputs);
}

// Pairs of a query and a key that it sees.
inline double pairs(const PackedTokens& queries, const PackedTokens& keys, Causality causality) {
  double sum = 0;
  for (Index s = 0; s < queries.sequences(); ++s) {
    const double q = static_cast<double>(queries.sequence(s).size()),
                 k = static_cast<double>(keys.sequence(s).size());
    sum += causality == Causality::causal ? q * (q + 1) / 2 : q * k;
  }
  return sum;
}

inline double attention_flops(const AttentionLayerSettings& s, const PackedTokens& queries,
                              const PackedTokens& keys, Causality causality) {
  const Index inner = s.heads * s.head_width;
  return 2 * linear_flops(queries.tokens(), s.width, inner) +
         2 * linear_flops(keys.tokens(), s.width, inner) +
         12 * pairs(queries, keys, causality) * static_cast<double>(inner);
}

class StepModel {
 public:
  virtual ~StepModel() = default;
  virtual Parameters& parameters() = 0;
  virtual Index width() const = 0;
  virtual ModelSection section() const = 0;  // what the model is, as a recipe says it
  virtual Index batch() const = 0;           // examples of a step
  virtual void set_batch(Index examples) = 0;
  // The next random batch.
  virtual void draw(Draws& draws) = 0;
  // Mean loss over the batch; its gradients follow from tape.backward().
  virtual double loss(const ForwardContext& context) = 0;
  // Counts for the batch drawn last.
  virtual Index useful_tokens() const = 0;
  virtual double useful_flops() const = 0;
  // So far, for batches that are prepared beside the step.
  virtual double waiting_seconds() const { return 0; }
};

}  // namespace headwater::bench
