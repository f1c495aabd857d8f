// The largest value of each row, and the output layer of decoding: a block of logits is searched as soon as
// it is there, while it is warm.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/argmax/argmax.hpp"

#include <algorithm>
#include <limits>

#include "support/parallel.hpp"
#include "tensor/kernels/argmax/argmax_parts.hpp"
#include "tensor/kernels/gemm/packed_input.hpp"
#include "tensor/kernels/gemm/packed_tasks.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/row_blocks.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Index kWarmColumns = 4 * kGroupColumns;  // columns whose logits are searched at once

}  // namespace

void search_logits(MatrixOf<float> logits, Index first, std::span<const std::int32_t> skip, Largest* found) {
  const ArgmaxTable& table = *kernel_table().argmax;
  for (Index r = 0; r < logits.rows; ++r) {
    float* const row = logits.row(r);
    for (const std::int32_t column : skip) {
      if (column >= first && column < first + logits.cols) row[column - first] = -kInfinity;
    }
    const Largest largest = table.largest(logits.cols, row);
    if (largest.value > found[r].value)
      found[r] = {largest.value, largest.index + static_cast<std::int32_t>(first)};
  }
}

std::int32_t first_choice(Index columns, std::span<const std::int32_t> skip) {
  for (std::int32_t c = 0; c < columns; ++c) {
    if (std::find(skip.begin(), skip.end(), c) == skip.end()) return c;
  }
  return -1;
}

void argmax_of_all(ConstMatrix x, const PackedWeight& w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best) {
  const Index M = x.rows, N = w.outputs, K = w.inputs;
  if (M == 0) return;
  const PackedGrid grid = packed_grid(M, N, K);
  const PackedInput input(x, w);
  static_assert(sizeof(Largest) == 2 * sizeof(float));
  const SharedScratch partial(2 * M * grid.column_blocks);
  auto* const found = reinterpret_cast<Largest*>(partial.data());  // [column blocks][M]
  std::fill_n(found, M * grid.column_blocks, Largest{-kInfinity, -1});
  parallel_for(grid.row_blocks * grid.column_blocks, [&](Index index) {
    const PackedBlock block = grid.block(index, M, N);
    const Index rows = block.row_end - block.row;
    float* const scratch = thread_scratch(rows * kWarmColumns);
    for (Index first = block.first; first < block.last; first += kWarmColumns) {
      const MatrixOf<float> logits(scratch, rows, std::min(kWarmColumns, block.last - first), kWarmColumns);
      input.multiply(block.row, block.row_end, w, bias, first, logits);
      search_logits(logits, first, skip, found + index / grid.row_blocks * M + block.row);
    }
  });
  for (Index r = 0; r < M; ++r) {
    Largest most{-kInfinity, -1};
    for (Index number = 0; number < grid.column_blocks; ++number) {
      const Largest& candidate = found[number * M + r];
      if (candidate.value > most.value) most = candidate;
    }
    best[static_cast<std::size_t>(r)] = most.index >= 0 ? most.index : first_choice(N, skip);
  }
}

void linear_argmax(ConstMatrix x, const ArgmaxWeight& w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best) {
  if (w.bounds.bytes != nullptr) {
    argmax_by_bounds(x, w, bias, skip, best);
  } else {
    argmax_of_all(x, w.packed, bias, skip, best);
  }
}

void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best) {
  const ArgmaxTable& table = *kernel_table().argmax;
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r)
      best[r] = table.argmax(x.cols, x.row(r), skip.data(), static_cast<Index>(skip.size()));
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
