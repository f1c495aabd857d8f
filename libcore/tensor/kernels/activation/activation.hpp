// Activation functions, element by element. The products of gemm.hpp apply them to their results.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

enum class Activation { none, relu, gelu, gelu_tanh, silu, tanh, sigmoid };

// dpre = dy * act'(·). relu, tanh, sigmoid read y; gelu, silu read pre. dpre may alias dy.
void activation_backward(Activation activation, ConstMatrix y, ConstMatrix pre, ConstMatrix dy, Matrix dpre);
// y = act(x), elementwise; may alias.
void activate(Activation activation, ConstMatrix x, Matrix y);

}  // namespace headwater::kernels
