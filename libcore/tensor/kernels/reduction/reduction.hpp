// What n values are together: one number of them all.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

// Σ x² in double, blocks of 4,096, reduced in a fixed tree. Throws Error for more than 2^32 values.
double sum_of_squares(Index n, const Real* x);
// Index of the first value that is not finite, or -1.
Index find_not_finite(Index n, const Real* x);

}  // namespace headwater::kernels
