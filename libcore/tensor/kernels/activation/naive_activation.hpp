// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include "tensor/kernels/activation/activation.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater::naive {

using kernels::Activation;

void activate(Activation activation, ConstMatrix x, Matrix y, Matrix slope = {});
void activation_backward(Activation activation, ConstMatrix kept, ConstMatrix dy, Matrix dpre);

}  // namespace headwater::naive
