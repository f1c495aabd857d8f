// Layer normalisation (Ba et al. 2016), alone or after a residual sum.
#pragma once

#include <string>

#include "autograd/ops.hpp"
#include "layers/builder.hpp"

namespace headwater {

class LayerNorm {
 public:
  LayerNorm(LayerBuilder& builder, const std::string& name, Index width, double epsilon)
      : gamma_(builder.parameters.declare(name + ".gamma", {width}, 1, width, Initializer::ones)),
        beta_(builder.parameters.declare(name + ".beta", {width}, 1, width, Initializer::zeros)),
        epsilon_(static_cast<Real>(epsilon)) {}

  Variable operator()(const ForwardContext& context, const Variable& x) const {
    return ops::layer_norm(context.tape, x, *gamma_, *beta_, epsilon_);
  }
  // norm(x + z); nobody else reads z.
  Variable after_sum(const ForwardContext& context, const Variable& x, const Variable& z) const {
    return ops::add_layer_norm(context.tape, x, z, *gamma_, *beta_, epsilon_, ops::Use::donate);
  }

 private:
  Parameter* gamma_;
  Parameter* beta_;
  Real epsilon_;
};

}  // namespace headwater
