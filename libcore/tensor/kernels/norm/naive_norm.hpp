// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include "tensor/kernels/naive.hpp"
#include "tensor/kernels/norm/norm.hpp"

namespace headwater::naive {

void layer_norm(ConstMatrix x, ConstMatrix residual, const double* gamma, const double* beta, double epsilon,
                Matrix sum, Matrix y, Matrix moments);
void layer_norm_backward(ConstMatrix x, ConstMatrix moments, const double* gamma, ConstMatrix dy, Matrix dx,
                         bool accumulate_dx, double* dgamma, double* dbeta, bool accumulate_parameters);

}  // namespace headwater::naive
