// Fourier mixing of one sequence on one thread, once for each vector width.
#pragma once

#include "tensor/kernels/fourier_plan.hpp"

namespace headwater::kernels {

struct FourierTask {
  MatrixOf<const float> x;  // [n, D]
  MatrixOf<float> y;        // [n, D]
  bool accumulate = false;
  const FourierPlan* over_tokens = nullptr;  // of length n
  const FourierPlan* over_width = nullptr;   // of length D
  float* scratch = nullptr;                  // so many floats as below, aligned to 64 bytes
};
struct FourierTable {
  // Computes plan.filter into `filter`, where there is a chirp.
  void (*prepare)(const FourierPlan& plan, float* filter, float* scratch);
  void (*mix)(const FourierTask& task);
};
const FourierTable& fourier_table();

// Two buffers of 16 complex columns.
inline Index fourier_buffer_size(Index inner_length) { return 2 * 32 * inner_length; }
// The buffers, and the upper half of the transform over the tokens.
inline Index fourier_scratch(const FourierPlan& over_tokens, const FourierPlan& over_width) {
  const Index longest =
      over_tokens.inner_length > over_width.inner_length ? over_tokens.inner_length : over_width.inner_length;
  return fourier_buffer_size(longest) +
         2 * (over_tokens.length / 2 + 1) * ((over_width.length + 15) / 16 * 16);
}

}  // namespace headwater::kernels
