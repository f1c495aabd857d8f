// Products of rows with weights in bytes on one thread, once for each vector width; packed.hpp cuts
// the work into tasks.
#pragma once

#include <cstdint>

#include "tensor/kernels/activation/activation.hpp"
#include "tensor/kernels/gemm/int8.hpp"

namespace headwater::kernels {

inline constexpr std::int32_t kInt8ZeroPoint = 128;

// c = act((Σ (a - zero point)·bytes)·scales·factors + bias): the sum exact, then rounded three times.
struct Int8Task {
  const std::uint8_t* a;  // [rows][int8_row_bytes(K)]
  const float* factors;   // of each row
  Index K;
  Int8Panels weight;  // from the first column of c on, a multiple of 16
  MatrixOf<float> c;
  const float* bias;  // or null
  Activation activation;
};
struct Int8Table {
  // A row x of K numbers as factor·(bytes - zero point), the nearest; gives the factor. It is 0 where all are
  // below 2^-100, and not a number where one is not finite.
  float (*quantize)(const float* x, Index K, std::uint8_t* bytes);
  void (*multiply)(const Int8Task& task);
};

}  // namespace headwater::kernels
