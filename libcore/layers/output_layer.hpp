// From the features of a token to a logit for each word: logits = x·W + b, with a weight of its own or with
// the table of embeddings, which is tied then (Press and Wolf 2017).
#pragma once

#include <span>
#include <string>

#include "autograd/ops.hpp"
#include "layers/builder.hpp"

namespace headwater {

class OutputLayer {
 public:
  // weight [inputs, outputs] named `name`.weight, Glorot uniform; where it has one a bias [outputs] named
  // `name`.bias, zero.
  OutputLayer(LayerBuilder& builder, const std::string& name, Index inputs, Index outputs,
              bool has_bias = true);
  // The weight is the table [outputs, inputs], transposed; only the bias is declared.
  OutputLayer(LayerBuilder& builder, const std::string& name, Parameter& table, bool has_bias = true);

  // [T, D] -> [T, V]
  Variable operator()(const ForwardContext& context, const Variable& x) const;
  // Into a matrix that somebody else owns; no gradients.
  void operator()(const ForwardContext& context, ConstMatrix x, Matrix y) const;
  // ops::linear_cross_entropy of these logits.
  kernels::CrossEntropyTotals loss(const ForwardContext& context, const Variable& x,
                                   std::span<const std::int32_t> labels, double label_smoothing,
                                   double loss_scale, double r_drop = 0) const;

  Parameter& weight() const { return *weight_; }  // [D, V], or [V, D] if tied
  Parameter* bias() const { return bias_; }       // null where there is none
  bool is_tied() const { return is_tied_; }
  Index inputs() const { return is_tied_ ? weight_->value.cols : weight_->value.rows; }
  Index outputs() const { return is_tied_ ? weight_->value.rows : weight_->value.cols; }

 private:
  Parameter* weight_;
  Parameter* bias_;
  bool is_tied_;
};

}  // namespace headwater
