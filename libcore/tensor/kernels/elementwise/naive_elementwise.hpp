// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include "tensor/kernels/elementwise/elementwise.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater::naive {

void fill(Matrix y, double value);
void add(ConstMatrix a, ConstMatrix b, Matrix y);
void multiply(ConstMatrix a, ConstMatrix b, Matrix y);
void accumulate(ConstMatrix x, Matrix y);
void scale(ConstMatrix x, double factor, Matrix y, bool accumulate);
void copy(ConstMatrix x, Matrix y);
void transpose(ConstMatrix x, Matrix y);

}  // namespace headwater::naive
