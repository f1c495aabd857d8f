// Inverted dropout (Srivastava et al. 2014) with masks from counters.
#pragma once

#include "autograd/ops.hpp"
#include "layers/builder.hpp"

namespace headwater {

class Dropout {
 public:
  Dropout(LayerBuilder& builder, double rate)
      : rate_(static_cast<Real>(rate)), layer_(builder.next_random_layer++) {}
  // Nobody else reads x.
  Variable operator()(const ForwardContext& context, const Variable& x) const {
    return ops::dropout(context.tape, x, rate_, context.stream(Purpose::dropout, layer_), ops::Use::consume);
  }

 private:
  Real rate_;
  std::uint32_t layer_;
};

}  // namespace headwater
