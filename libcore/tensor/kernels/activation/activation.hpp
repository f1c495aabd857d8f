// Activation functions, element by element. The products of gemm.hpp apply them to their results.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

enum class Activation { none, relu, gelu, gelu_tanh, silu, tanh, sigmoid };

// Whether the backward pass needs the slope act'(x), made with act(x) of the same exponentials; that of the
// others follows from y.
inline bool keeps_slope(Activation activation) {
  return activation == Activation::gelu || activation == Activation::gelu_tanh ||
         activation == Activation::silu;
}

// y = act(x), elementwise; may alias. `slope`, only where keeps_slope, receives act'(x) if given.
void activate(Activation activation, ConstMatrix x, Matrix y, Matrix slope = {});
// dpre = dy * act'(x); `kept` is the slope where keeps_slope, otherwise y. dpre may alias dy.
void activation_backward(Activation activation, ConstMatrix kept, ConstMatrix dy, Matrix dpre);

}  // namespace headwater::kernels
