// Fourier mixing of one sequence on one thread, once for each vector width.
#pragma once

#include "tensor/kernels/fourier/fourier_plan.hpp"

namespace headwater::kernels {

struct FourierTask {
  MatrixOf<const float> x;  // [n, D]
  MatrixOf<float> y;        // [n, D]
  bool accumulate = false;
  const FourierPlan* over_tokens = nullptr;  // of length n
  const FourierPlan* over_width = nullptr;   // of length D
  // Two buffers, and the upper half of the transform over the tokens: 2·(n/2 + 1)·(D rounded up to 16)
  // floats; aligned to 64 bytes.
  float* scratch = nullptr;
};
struct FourierTable {
  // Computes plan.filter into `filter`, where there is a chirp.
  void (*prepare)(const FourierPlan& plan, float* filter, float* scratch);
  void (*mix)(const FourierTask& task);
};

// Two buffers of 16 complex columns.
inline Index fourier_buffer_size(Index inner_length) { return 2 * 32 * inner_length; }
}  // namespace headwater::kernels
