// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include "tensor/kernels/gemm/gemm.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater::naive {

using kernels::Activation;

// w is [I, O], or [O, I] if transposed.
void linear(ConstMatrix x, ConstMatrix w, bool is_transposed, const double* bias, Activation activation,
            Matrix y, Matrix slope);
void linear_backward_input(ConstMatrix dy, ConstMatrix w, Matrix dx, bool accumulate);
void linear_backward_weight(ConstMatrix x, ConstMatrix dy, Matrix dw, double* db, bool accumulate);

}  // namespace headwater::naive
