#include "layers/output_layer.hpp"

#include "layers/packed_weights.hpp"

namespace headwater {

static Parameter* declare_bias(LayerBuilder& builder, const std::string& name, Index outputs, bool has_bias) {
  if (!has_bias) return nullptr;
  return builder.parameters.declare(name + ".bias", {outputs}, 1, outputs, Initializer::zeros);
}

OutputLayer::OutputLayer(LayerBuilder& builder, const std::string& name, Index inputs, Index outputs,
                         bool has_bias)
    : weight_(builder.parameters.declare(name + ".weight", {inputs, outputs}, inputs, outputs,
                                         Initializer::glorot_uniform, static_cast<double>(inputs),
                                         static_cast<double>(outputs))),
      bias_(declare_bias(builder, name, outputs, has_bias)),
      is_tied_(false) {}

OutputLayer::OutputLayer(LayerBuilder& builder, const std::string& name, Parameter& table, bool has_bias)
    : weight_(&table), bias_(declare_bias(builder, name, table.value.rows, has_bias)), is_tied_(true) {}

Variable OutputLayer::operator()(const ForwardContext& context, const Variable& x) const {
  const kernels::PackedWeight* const packed = packed_weight(context, *weight_);
  if (packed == nullptr)
    return is_tied_ ? ops::linear_transposed(context.tape, x, *weight_, bias_)
                    : ops::linear(context.tape, x, *weight_, bias_);
  const Variable y = context.tape.variable(x.rows(), outputs(), x.packing_or_null(), false);
  kernels::linear_packed(x.value(), *packed, values_or_null(bias_), ops::Activation::none, y.value());
  return y;
}

void OutputLayer::operator()(const ForwardContext& context, ConstMatrix x, Matrix y) const {
  const Real* const bias = values_or_null(bias_);
  if (const kernels::PackedWeight* const packed = packed_weight(context, *weight_)) {
    kernels::linear_packed(x, *packed, bias, ops::Activation::none, y);
  } else if (is_tied_) {
    kernels::linear_transposed(x, weight_->value, bias, y);
  } else {
    kernels::linear(x, weight_->value, bias, ops::Activation::none, y);
  }
}

kernels::CrossEntropyTotals OutputLayer::loss(const ForwardContext& context, const Variable& x,
                                              std::span<const std::int32_t> labels, double label_smoothing,
                                              double loss_scale, double r_drop) const {
  const auto smoothing = static_cast<Real>(label_smoothing), scale = static_cast<Real>(loss_scale),
             divergence = static_cast<Real>(r_drop);
  return is_tied_ ? ops::linear_transposed_cross_entropy(context.tape, x, *weight_, bias_, labels, smoothing,
                                                         scale, divergence)
                  : ops::linear_cross_entropy(context.tape, x, *weight_, bias_, labels, smoothing, scale, {},
                                              divergence);
}

}  // namespace headwater
