// Activations and their derivatives over consecutive values.
#pragma once

#include "tensor/kernels/activation/activation_table.hpp"
#include "tensor/simd_math.hpp"

namespace headwater::kernels::HEADWATER_ISA {

void activate(Activation activation, Index n, const float* x, float* y, float* slope);
void activation_backward(Activation activation, Index n, const float* kept, const float* dy, float* dpre);

inline void copy_values(Index n, const float* x, float* y) {
  Index i = 0;
  for (; i + 16 <= n; i += 16) f32x16::load(x + i).store(y + i);
  if (i < n) f32x16::load_partial(x + i, n - i).store_partial(y + i, n - i);
}

}  // namespace headwater::kernels::HEADWATER_ISA
