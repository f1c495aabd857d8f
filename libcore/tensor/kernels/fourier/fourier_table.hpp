// Fourier mixing of one sequence on one thread, once for each vector width.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

inline constexpr int kLargestRadix = 13;

// What a discrete Fourier transform of one length is made with: factors, roots of unity and, where a prime
// factor is large, the chirp of Bluestein's algorithm. Complex numbers are pairs of floats: real, imaginary.
struct FourierPlan {
  Index length = 1;        // n
  Index inner_length = 1;  // m: n itself; with a chirp the length of its cyclic convolution, at least 2n - 1
  int factors[32] = {};    // of m: 2, 3, 4, 5, 7, 11 or 13
  int factor_count = 0;
  const float* roots = nullptr;   // [m] e^(-2πi j/m)
  const float* chirp = nullptr;   // [n] e^(-πi j²/n); null: no prime factor of n is above 13
  const float* filter = nullptr;  // [m] transform of the conjugate chirp, over m
};

// The lengths of a plan and no tables; length is 1 or more, here and below.
FourierPlan fourier_plan_shape(Index length);
// Floats that the tables of a plan take.
Index fourier_plan_size(Index length);
// Writes the roots and the chirp to `memory`. The filter's memory is set but its values are computed by the
// transform itself (FourierTable::prepare).
FourierPlan fourier_plan(Index length, float* memory);

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
