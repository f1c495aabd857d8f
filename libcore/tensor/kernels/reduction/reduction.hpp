// What n values are together: one number of them all.
#pragma once

#include <span>

#include "tensor/matrix.hpp"

namespace headwater::kernels {

// The values of a block of a sum.
inline constexpr Index kSumBlock = 4'096;

// Σ x² in double, in blocks, reduced in a fixed tree. Throws Error for more than 2^32 values.
double sum_of_squares(Index n, const Real* x);
// The same sum from that of each block, which is no longer there then.
double sum_of_blocks(std::span<double> of_blocks);
// Index of the first value that is not finite, or -1.
Index find_not_finite(Index n, const Real* x);

}  // namespace headwater::kernels
