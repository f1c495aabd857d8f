// y = act(x·W + b).
#pragma once

#include <initializer_list>
#include <string>

#include "autograd/ops.hpp"
#include "layers/builder.hpp"

namespace headwater {

class Linear {
 public:
  // weight [inputs, outputs] named `name`.weight, Glorot uniform; bias [outputs] named `name`.bias, zero.
  Linear(LayerBuilder& builder, const std::string& name, Index inputs, Index outputs,
         ops::Activation activation = ops::Activation::none);
  // The same with the shape of the weight as saved and the fans of its initializer given (attention kernels);
  // an empty shape of the bias: there is none.
  Linear(LayerBuilder& builder, const std::string& name, std::vector<Index> weight_shape,
         std::vector<Index> bias_shape, Index inputs, Index outputs, double fan_in, double fan_out,
         ops::Activation activation = ops::Activation::none);

  Variable operator()(const ForwardContext& context, const Variable& x,
                      ops::Use use_of_x = ops::Use::keep) const;
  // Into a matrix that somebody else owns; no gradients.
  void operator()(const ForwardContext& context, ConstMatrix x, Matrix y) const;

  // The same as a product with packed weights, to be computed with others of the same input.
  kernels::PackedProduct product(const ForwardContext& context, Matrix y) const;

  Parameter& weight() const { return *weight_; }
  Parameter* bias() const { return bias_; }

 private:
  Parameter* weight_;
  Parameter* bias_;
  ops::Activation activation_ = ops::Activation::none;
};

// Up to three layers without activation that read the same x, as one operation.
ops::Projected project(const ForwardContext& context, const Variable& x,
                       std::initializer_list<const Linear*> layers);

}  // namespace headwater
