// Fourier mixing, a task a sequence.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/fourier/fourier.hpp"

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

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
    while (most < offsets[static_cast<std::size_t>(s) + 1] - offsets[static_cast<std::size_t>(s)]) most *= 2;
  }
  const Index inner = std::max(2 * most, over_width.inner_length);
  const Index tables = rounded(4 * inner + 2 * most);
  const Index scratch = fourier_buffer_size(inner) + 2 * (most / 2 + 1) * rounded(D);
  parallel_for(sequences, [&](Index s) {
    const Index begin = offsets[static_cast<std::size_t>(s)], end = offsets[static_cast<std::size_t>(s) + 1];
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
