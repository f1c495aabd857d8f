// Fourier mixing, a task a sequence.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/fourier/fourier.hpp"

#include <algorithm>
#include <initializer_list>

#include "support/parallel.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

// Factors and roots of unity. Roots come from Taylor's series in double on an eighth of the circle, so that
// they are the same bits everywhere (a library's sine is not) and right to the last place of a float.
namespace {

// e^(-2πi index/count), 0 <= index < count.
void write_root(Index index, Index count, float* to) {
  const Index eighth = 8 * index / count;
  Index rest = 8 * index - eighth * count;  // of `count` parts of this eighth
  if (eighth % 2 == 1) rest = count - rest;
  const double angle = 0.78539816339744830962 * static_cast<double>(rest) / static_cast<double>(count);
  const double z = angle * angle;
  double sine = 0, cosine = 0;
  // The series end at angle^16 and angle^17; what follows is below 1e-17.
#pragma GCC unroll 8
  for (int power = 16; power > 0; power -= 2) {
    cosine = 1 - z * (1.0 / (power * (power - 1))) * (power == 16 ? 1 : cosine);
    sine = 1 - z * (1.0 / (power * (power + 1))) * (power == 16 ? 1 : sine);
  }
  sine *= angle;
  const bool is_swapped = eighth == 1 || eighth == 2 || eighth == 5 || eighth == 6;
  const double x = is_swapped ? sine : cosine, y = is_swapped ? cosine : sine;
  to[0] = static_cast<float>(eighth >= 2 && eighth <= 5 ? -x : x);
  to[1] = static_cast<float>(eighth <= 3 ? -y : y);
}

Index without_factors(Index n, std::initializer_list<int> primes) {
  for (const int prime : primes) {
    while (n % prime == 0) n /= prime;
  }
  return n;
}

bool needs_chirp(Index n) { return without_factors(n, {2, 3, 5, 7, 11, kLargestRadix}) != 1; }

// The shortest fast length of a cyclic convolution that does not wrap around.
Index inner_length_of(Index n) {
  if (!needs_chirp(n)) return n;
  Index m = 2 * n - 1;
  while (without_factors(m, {2, 3, 5}) != 1) ++m;
  return m;
}

}  // namespace

Index fourier_plan_size(Index length) {
  const Index m = inner_length_of(length);
  return needs_chirp(length) ? 4 * m + 2 * length : 2 * m;
}

FourierPlan fourier_plan_shape(Index length) {
  FourierPlan plan;
  plan.length = length;
  plan.inner_length = inner_length_of(length);
  return plan;
}

FourierPlan fourier_plan(Index length, float* memory) {
  FourierPlan plan = fourier_plan_shape(length);
  Index rest = plan.inner_length;
  for (const int factor : {4, 2, 3, 5, 7, 11, kLargestRadix}) {
    for (; rest % factor == 0; rest /= factor) plan.factors[plan.factor_count++] = factor;
  }
  plan.roots = memory;
  for (Index j = 0; j < plan.inner_length; ++j) write_root(j, plan.inner_length, memory + 2 * j);
  if (!needs_chirp(length)) return plan;
  float* const chirp = memory + 2 * plan.inner_length;
  plan.chirp = chirp;
  // j² modulo 2n, from the last by (j + 1)² = j² + 2j + 1.
  const Index period = std::max<Index>(1, 2 * length);
  for (Index j = 0, square = 0; j < length; square = (square + 2 * j + 1) % period, ++j)
    write_root(square, period, chirp + 2 * j);
  plan.filter = chirp + 2 * length;
  return plan;
}

namespace {

// `memory` has the tables and `scratch` two buffers.
FourierPlan ready_plan(Index length, float* memory, float* scratch) {
  const FourierPlan plan = fourier_plan(length, memory);
  kernel_table().fourier->prepare(plan, memory + (plan.filter ? plan.filter - memory : 0), scratch);
  return plan;
}

Index rounded(Index floats) { return (floats + 15) / 16 * 16; }  // to 64 bytes

}  // namespace

void fourier_mix(ConstMatrix x, std::span<const Index> offsets, Matrix y, bool accumulate) {
  if (x.rows == 0 || x.cols == 0) return;
  const Index D = x.cols, sequences = static_cast<Index>(offsets.size()) - 1;
  const Index width_tables = rounded(fourier_plan_size(D));
  FourierPlan over_width = fourier_plan_shape(D);
  const SharedScratch shared(width_tables + fourier_buffer_size(over_width.inner_length));
  over_width = ready_plan(D, shared.data(), shared.data() + width_tables);
  // Bounds for every sequence up to a power of two, so that a thread's memory seldom grows.
  Index most = 1;
  for (Index s = 0; s < sequences; ++s) {
    while (most < offsets[s + 1] - offsets[s]) most *= 2;
  }
  const Index inner = std::max(2 * most, over_width.inner_length);
  const Index tables = rounded(4 * inner + 2 * most);
  const Index scratch = fourier_buffer_size(inner) + 2 * (most / 2 + 1) * rounded(D);
  parallel_for(sequences, [&](Index s) {
    const Index begin = offsets[s], end = offsets[s + 1];
    if (begin == end) return;
    float* const memory = thread_scratch(tables + scratch);
    const FourierPlan over_tokens = ready_plan(end - begin, memory, memory + tables);
    kernel_table().fourier->mix({.x = x.rows_between(begin, end),
                                 .y = y.rows_between(begin, end),
                                 .accumulate = accumulate,
                                 .over_tokens = &over_tokens,
                                 .over_width = &over_width,
                                 .scratch = memory + tables});
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
