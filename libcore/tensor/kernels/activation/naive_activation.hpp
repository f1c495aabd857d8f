// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include "tensor/kernels/activation/activation.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater::naive {

using kernels::Activation;

void activate(Activation activation, ConstMatrix x, Matrix y);
void activation_backward(Activation activation, ConstMatrix y, ConstMatrix pre, ConstMatrix dy, Matrix dpre);

}  // namespace headwater::naive
