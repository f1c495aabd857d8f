// The output layer of decoding: a block of logits is searched as soon as it is there, while it is warm.
#ifndef HEADWATER_DOUBLE

#include <algorithm>
#include <limits>

#include "support/parallel.hpp"
#include "tensor/kernels/gemm_tasks.hpp"
#include "tensor/kernels/row_tables.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct ColumnBlock {
  Index first, last;
};

// The first of the largest values of each row of `logits`, which are those of the block's columns; found
// holds one for each row.
void search(MatrixOf<float> logits, const ColumnBlock& block, std::span<const std::int32_t> skip,
            Largest* found) {
  const SoftmaxTable& table = softmax_table();
  for (Index r = 0; r < logits.rows; ++r) {
    float* const row = logits.row(r);
    for (const std::int32_t column : skip) {
      if (column >= block.first && column < block.last) row[column - block.first] = -kInfinity;
    }
    found[r] = table.largest(logits.cols, row);
    if (found[r].index >= 0) found[r].index += static_cast<std::int32_t>(block.first);
  }
}

std::int32_t first_column(Index columns, std::span<const std::int32_t> skip) {
  for (std::int32_t c = 0; c < columns; ++c) {
    if (std::find(skip.begin(), skip.end(), c) == skip.end()) return c;
  }
  return -1;
}

}  // namespace

void linear_argmax(ConstMatrix x, ConstMatrix w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best) {
  const Index M = x.rows, N = w.cols, K = x.cols;
  if (M == 0) return;
  const GemmGrid grid = gemm_grid(M, N, K);
  const Index groups = (N + kTileLanes - 1) / kTileLanes;
  static_assert(sizeof(Largest) == 2 * sizeof(float));
  const SharedScratch partial(2 * M * grid.column_blocks);
  auto* const found = reinterpret_cast<Largest*>(partial.data());  // [column blocks][M]
  parallel_for(grid.row_blocks * grid.column_blocks, [&](Index index) {
    const Index part = index % grid.row_blocks, number = index / grid.row_blocks;
    const Index row = part * M / grid.row_blocks, rows = (part + 1) * M / grid.row_blocks - row;
    const ColumnBlock block{number * groups / grid.column_blocks * kTileLanes,
                            std::min(N, (number + 1) * groups / grid.column_blocks * kTileLanes)};
    const Index width = block.last - block.first, used = round_up(gemm_scratch(rows, width, K), 16);
    float* const scratch = thread_scratch(used + rows * round_up(width, 16));
    const MatrixOf<float> logits(scratch + used, rows, width, round_up(width, 16));
    gemm_table().multiply({.a = x.rows_between(row, row + rows),
                           .b = columns_between(w, block.first, block.last),
                           .c = logits,
                           .finish = {.bias = bias ? bias + block.first : nullptr},
                           .scratch = scratch});
    search(logits, block, skip, found + number * M + row);
  });
  for (Index r = 0; r < M; ++r) {
    Largest most{-kInfinity, -1};
    for (Index number = 0; number < grid.column_blocks; ++number) {
      const Largest& candidate = found[number * M + r];
      if (candidate.value > most.value) most = candidate;
    }
    best[static_cast<std::size_t>(r)] = most.index >= 0 ? most.index : first_column(N, skip);
  }
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
