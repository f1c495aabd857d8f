// Attention without values of its own: the heads weigh the tokens as they are, and their mean is the result.
#pragma once

#include <string>

#include "layers/attention.hpp"

namespace headwater {

// y = 1/H Σ_h softmax(Q_h·K_hᵀ/sqrt(D))·x·O_h with Q_h = act(x·W_h), and K_h the same with weights of its
// own: no projection of values, no biases. A head is as wide as the tokens.
class AveragedAttention {
 public:
  // `name`.query.weight and .key.weight [D, H, D], .output.weight [H, D, D]: Glorot uniform as H layers of
  // their own. Throws UsageError where settings.head_width is not settings.width.
  AveragedAttention(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& settings,
                    ops::Activation activation);

  // x [T, D] -> [T, D]
  AttentionOutput operator()(const ForwardContext& context, const Variable& x, Causality causality) const;

 private:
  AttentionLayerSettings settings_;
  Linear to_query_, to_key_, to_output_;
  std::uint32_t random_layer_;
};

}  // namespace headwater
