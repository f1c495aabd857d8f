// Elementwise kernels.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

void fill(Matrix y, Real value);
void add(ConstMatrix a, ConstMatrix b, Matrix y);                   // may alias
void multiply(ConstMatrix a, ConstMatrix b, Matrix y);              // may alias
void accumulate(ConstMatrix x, Matrix y);                           // y += x
void scale(ConstMatrix x, Real factor, Matrix y, bool accumulate);  // y (+)= factor·x; may alias
void copy(ConstMatrix x, Matrix y);
void transpose(ConstMatrix x, Matrix y);  // y[c, r] = x[r, c]

}  // namespace headwater::kernels
