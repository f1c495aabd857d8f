// Inverted dropout (Srivastava et al. 2014) with masks from counters.
#pragma once

#include "autograd/ops.hpp"
#include "layers/builder.hpp"

namespace headwater {

class Dropout {
 public:
  // `name` chooses the masks.
  Dropout(std::string_view name, double rate) : rate_(static_cast<Real>(rate)), layer_(random_layer(name)) {}
  // Nobody else reads x.
  Variable operator()(const ForwardContext& context, const Variable& x) const {
    return ops::dropout(context.tape, x, rate_, context.stream(Purpose::dropout, layer_), ops::Use::donate);
  }

 private:
  Real rate_;
  std::uint32_t layer_;
};

}  // namespace headwater
