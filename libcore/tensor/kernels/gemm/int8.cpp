// Weights made bytes, panel by panel of those that are packed.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/gemm/int8.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/parallel.hpp"
#include "tensor/kernels/gemm/gemm.hpp"
#include "tensor/kernels/gemm/int8_table.hpp"
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
  std::vector<Lengths> lengths(tasks);
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

namespace {

// Where the parts of Int8Panels lie in int8_size() values.
struct Int8Parts {
  float* scales;
  std::int32_t* starts;
  std::int8_t* bytes;
  Int8Parts(Index outputs, Real* to)
      : scales(to),
        starts(reinterpret_cast<std::int32_t*>(to + padded_columns(outputs))),
        bytes(reinterpret_cast<std::int8_t*>(to + 2 * padded_columns(outputs))) {}
  PackedWeight weight(Index inputs, Index outputs) const {
    return {
        .inputs = inputs, .outputs = outputs, .int8 = {.bytes = bytes, .scales = scales, .starts = starts}};
  }
};

// The place of a column's byte in panels: the other inputs of its four follow, the next four are 64 on.
template <class Byte>
Byte* column_of(Byte* panels, Index inputs, Index column) {
  return panels + column / 16 * 64 * int8_steps(inputs) + column % 16 * 4;
}

}  // namespace

PackedWeight pack_int8(const Int8Weight& w, Index inputs, Index outputs, Real* to) {
  const Int8Parts parts(outputs, to);
  std::fill_n(to, int8_size(inputs, outputs), 0.0f);
  std::copy_n(w.scales, outputs, parts.scales);
  const Index groups = padded_columns(outputs) / kGroupColumns;
  parallel_for(groups, [&](Index group) {
    const Index first = group * kGroupColumns, last = std::min(first + kGroupColumns, outputs);
    std::int32_t sums[kGroupColumns] = {};
    for (Index k = 0; k < inputs; ++k) {
      const std::int8_t* const row = w.bytes + k * outputs;
      for (Index column = first; column < last; column += 16) {
        std::int8_t* const four = column_of(parts.bytes, inputs, column) + 64 * (k / 4) + k % 4;
        const Index lanes = std::min<Index>(16, last - column);
        for (Index l = 0; l < lanes; ++l) {
          four[4 * l] = row[column + l];
          sums[column - first + l] += row[column + l];
        }
      }
    }
    for (Index column = first; column < last; ++column)
      parts.starts[column] = -kInt8ZeroPoint * sums[column - first];
  });
  return parts.weight(inputs, outputs);
}

PackedWeight int8_columns(const PackedWeight& w, std::span<const std::int32_t> ids, Real* to) {
  const Index outputs = std::ssize(ids), steps = int8_steps(w.inputs);
  const Int8Parts parts(outputs, to);
  std::fill_n(to, int8_size(w.inputs, outputs), 0.0f);
  for (Index i = 0; i < outputs; ++i) {
    const Index id = ids[i];
    parts.scales[i] = w.int8.scales[id];
    parts.starts[i] = w.int8.starts[id];
    const std::int8_t* const from = column_of(w.int8.bytes, w.inputs, id);
    std::int8_t* const column = column_of(parts.bytes, w.inputs, i);
    for (Index step = 0; step < steps; ++step) std::copy_n(from + 64 * step, 4, column + 64 * step);
  }
  return parts.weight(w.inputs, outputs);
}

void unpack_int8(const PackedWeight& w, std::int8_t* to) {
  for (Index column = 0; column < w.outputs; ++column) {
    const std::int8_t* const from = column_of(w.int8.bytes, w.inputs, column);
    for (Index k = 0; k < w.inputs; ++k) to[k * w.outputs + column] = from[64 * (k / 4) + k % 4];
  }
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
