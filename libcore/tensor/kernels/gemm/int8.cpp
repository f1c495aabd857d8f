// Weights made bytes, panel by panel of those that are packed.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/gemm/int8.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/parallel.hpp"
#include "tensor/kernels/gemm/gemm.hpp"
#include "tensor/kernels/gemm/packed.hpp"

namespace headwater::kernels {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kMaxInputs = 32'768;  // sums of products of bytes, on their way too, stay in 32 bits

Index padded_columns(Index outputs) { return (outputs + kGroupColumns - 1) / kGroupColumns * kGroupColumns; }

struct Lengths {
  double length = 0, rest = 0;  // the largest; not finite where a column does not fit
};

// A panel of 16 columns side by side; the sums of their bytes are added to `sums`.
Lengths quantize_panel(const float* w, Index K, float limit, float* scales, std::int32_t* sums,
                       std::int8_t* to) {
  float most[16] = {}, odd[16] = {};  // odd: not a number where an input is not finite
  for (Index k = 0; k < K; ++k) {
    for (int l = 0; l < 16; ++l) {
      const float size = std::abs(w[16 * k + l]);
      most[l] = size > most[l] ? size : most[l];
      odd[l] += w[16 * k + l] * 0;
    }
  }
  double inverse[16];
  for (int l = 0; l < 16; ++l) {
    if (odd[l] != 0 || (most[l] != 0 && !(most[l] >= 1 / limit && most[l] <= limit)))
      return {kInfinity, kInfinity};
    scales[l] = most[l] / 127;
    inverse[l] = most[l] != 0 ? 1 / static_cast<double>(scales[l]) : 0;
  }
  constexpr double kWhole = 0x1.8p52;  // added to a number, it leaves the nearest whole one
  double squares[16] = {}, rests[16] = {};
  for (Index k = 0; k < K; ++k) {
    std::int8_t* const four = to + 64 * (k / 4) + k % 4;
    for (int l = 0; l < 16; ++l) {
      const double value = static_cast<double>(w[16 * k + l]) * inverse[l];
      const double whole = (value + kWhole) - kWhole, rest = value - whole;
      squares[l] += whole * whole;
      rests[l] += rest * rest;
      sums[l] += static_cast<std::int32_t>(whole);
      four[4 * l] = static_cast<std::int8_t>(whole);
    }
  }
  Lengths longest;
  for (int l = 0; l < 16; ++l)
    longest = {std::max(longest.length, std::sqrt(squares[l])), std::max(longest.rest, std::sqrt(rests[l]))};
  return longest;
}

}  // namespace

Index int8_size(Index inputs, Index outputs) { return padded_columns(outputs) * (2 + int8_steps(inputs)); }

Int8Panels int8_panels(const PackedWeight& w, std::int32_t zero_point, float most_of_column, Real* to) {
  const Index K = w.inputs, columns = padded_columns(w.outputs), panels = (w.outputs + 15) / 16;
  if (K == 0 || K > kMaxInputs) return {};
  std::fill_n(to, int8_size(K, w.outputs), 0.0f);
  float* const scales = to;
  auto* const starts = reinterpret_cast<std::int32_t*>(to + columns);
  auto* const bytes = reinterpret_cast<std::int8_t*>(to + 2 * columns);
  constexpr Index kTaskPanels = 16;
  const Index tasks = (panels + kTaskPanels - 1) / kTaskPanels;
  std::vector<Lengths> lengths(static_cast<std::size_t>(tasks));
  parallel_for(tasks, [&](Index task) {
    Lengths& most = lengths[task];
    for (Index p = task * kTaskPanels; p < std::min((task + 1) * kTaskPanels, panels); ++p) {
      const Lengths of = quantize_panel(w.panels + p * 16 * K, K, most_of_column, scales + 16 * p,
                                        starts + 16 * p, bytes + p * 64 * int8_steps(K));
      most = {std::max(most.length, of.length), std::max(most.rest, of.rest)};
    }
  });
  Lengths most;
  for (const Lengths& of : lengths) most = {std::max(most.length, of.length), std::max(most.rest, of.rest)};
  if (!std::isfinite(most.length)) return {};
  for (Index c = 0; c < columns; ++c) starts[c] *= -zero_point;
  return {bytes, scales, starts, most.length, most.rest};
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
