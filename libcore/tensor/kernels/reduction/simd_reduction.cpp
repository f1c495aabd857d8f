// Reductions of n consecutive values.
#include <cstdint>

#include "tensor/kernels/reduction/reduction_table.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// In double, where squares of floats are exact; element j belongs to lane j mod 16.
double sum_of_squares(Index n, const float* x) {
  double lane[16] = {};
  const Index whole = n / 16 * 16;
  for (Index i = 0; i < whole; i += 16) {
    for (Index j = 0; j < 16; ++j) lane[j] += static_cast<double>(x[i + j]) * static_cast<double>(x[i + j]);
  }
  for (Index j = whole; j < n; ++j) lane[j - whole] += static_cast<double>(x[j]) * static_cast<double>(x[j]);
  for (Index half = 8; half > 0; half /= 2) {
    for (Index j = 0; j < half; ++j) lane[j] += lane[j + half];
  }
  return lane[0];
}

Index find_not_finite(Index n, const float* x) {
  constexpr std::uint32_t kExponent = 0x7F800000u;
  const auto exponent_of = [x](Index i) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, x + i, sizeof bits);
    return bits & kExponent;
  };
  std::uint32_t found = 0;
  for (Index i = 0; i < n; ++i) found |= exponent_of(i) == kExponent ? 1u : 0u;
  for (Index i = 0; found && i < n; ++i) {
    if (exponent_of(i) == kExponent) return i;
  }
  return -1;
}

}  // namespace

extern const ReductionTable reduction_functions;
const ReductionTable reduction_functions{sum_of_squares, find_not_finite};

}  // namespace headwater::kernels::HEADWATER_ISA
