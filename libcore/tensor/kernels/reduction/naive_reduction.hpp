// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include "tensor/kernels/naive.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater::naive {

double sum_of_squares(Index n, const double* x);
Index find_not_finite(Index n, const double* x);

}  // namespace headwater::naive
