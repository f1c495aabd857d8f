#include "layers/linear.hpp"

#include "layers/packed_weights.hpp"

namespace headwater {

Linear::Linear(LayerBuilder& builder, const std::string& name, Index inputs, Index outputs,
               ops::Activation activation)
    : Linear(builder, name, {inputs, outputs}, {outputs}, inputs, outputs, static_cast<double>(inputs),
             static_cast<double>(outputs), activation) {}

Linear::Linear(LayerBuilder& builder, const std::string& name, std::vector<Index> weight_shape,
               std::vector<Index> bias_shape, Index inputs, Index outputs, double fan_in, double fan_out,
               ops::Activation activation)
    : weight_(builder.parameters.declare(name + ".weight", std::move(weight_shape), inputs, outputs,
                                         Initializer::glorot_uniform, fan_in, fan_out)),
      bias_(bias_shape.empty() ? nullptr
                               : builder.parameters.declare(name + ".bias", std::move(bias_shape), 1, outputs,
                                                            Initializer::zeros)),
      activation_(activation) {}

Variable Linear::operator()(const ForwardContext& context, const Variable& x, ops::Use use_of_x) const {
  const kernels::PackedWeight* const packed = packed_weight(context, *weight_);
  if (packed == nullptr) return ops::linear(context.tape, x, *weight_, bias_, activation_, use_of_x);
  const Variable y = context.tape.variable(x.rows(), weight_->value.cols, x.packing_or_null(), false);
  kernels::linear_packed(x.value(), *packed, values_or_null(bias_), activation_, y.value());
  return y;
}

void Linear::operator()(const ForwardContext& context, ConstMatrix x, Matrix y) const {
  if (const kernels::PackedWeight* const packed = packed_weight(context, *weight_)) {
    kernels::linear_packed(x, *packed, values_or_null(bias_), activation_, y);
  } else {
    kernels::linear(x, weight_->value, values_or_null(bias_), activation_, y);
  }
}

kernels::PackedProduct Linear::product(const ForwardContext& context, Matrix y) const {
  return {context.packed->of(*weight_), values_or_null(bias_), activation_, y};
}

ops::Projected project(const ForwardContext& context, const Variable& x,
                       std::initializer_list<const Linear*> layers) {
  std::size_t count = 0;
  if (context.packed == nullptr) {
    std::array<ops::Projection, kernels::kMaxProjections> projections;
    for (const Linear* layer : layers) projections[count++] = {&layer->weight(), layer->bias()};
    return ops::project(context.tape, x, {projections.data(), count});
  }
  ops::Projected y;
  std::array<kernels::PackedProduct, kernels::kMaxProjections> products;
  for (const Linear* layer : layers) {
    y[count] = context.tape.variable(x.rows(), layer->weight().value.cols, x.packing_or_null(), false);
    products[count] = layer->product(context, y[count].value());
    ++count;
  }
  kernels::linear_packed(x.value(), {products.data(), count});
  return y;
}

}  // namespace headwater
