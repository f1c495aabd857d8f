// Attention of a recurrent decoder to its source (Bahdanau et al. 2015), after the state as Luong et al. 2015
// have it: the state asks, and what it finds goes into one more layer with it.
#pragma once

#include <span>
#include <string>

#include "layers/builder.hpp"
#include "layers/linear.hpp"

namespace headwater {

// The keys and values of sources that are decoded, source s in the rows offsets[s] to offsets[s + 1] - 1.
struct AdditiveMemory {
  Matrix keys, values;  // [S, D]
  std::span<const Index> offsets;
};

class AdditiveAttention {
 public:
  // `name`.query.weight and .key.weight [D, D], .score.weight [D], Glorot uniform, without biases;
  // .output.weight [2·D, D], Glorot uniform, .output.bias [D], zero.
  AdditiveAttention(LayerBuilder& builder, const std::string& name, Index width);

  struct Output {
    Variable output;  // [T, D], tanh of a map of state and context
    Matrix weights;   // [T, most source tokens], in the arena
  };
  // states [T, D], memory [S, D].
  Output operator()(const ForwardContext& context, const Variable& states, const Variable& memory) const;

  // For steps: of memory [S, D] what each of them reads, in the arena.
  AdditiveMemory remember(const ForwardContext& context, const Variable& memory,
                          std::span<const Index> offsets) const;
  // states [B, D], row b over the tokens of source sources[b]: the bits of the call above.
  Variable step(const ForwardContext& context, const Variable& states, const AdditiveMemory& memory,
                std::span<const Index> sources) const;

 private:
  Variable combined(const ForwardContext& context, const Variable& states, const Variable& found) const;

  Linear to_query_, to_key_;
  Parameter* score_;
  Linear to_output_;
};

}  // namespace headwater
