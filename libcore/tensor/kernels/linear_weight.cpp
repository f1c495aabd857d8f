// Gradients of weights and biases: Σ_t x[t]ᵀ dy[t], folded by the plan inside each block of the result.
#ifndef HEADWATER_DOUBLE

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/gemm_tasks.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

namespace {

constexpr Index kMostCols = 256, kMostRows = 256;  // of a block: packed tokens and partial sums stay in L2
constexpr Index kTaskProducts = 2'000'000;
constexpr Index kTasks = 16;

GemmGrid weight_grid(Index M, Index N, Index T) {
  GemmGrid best;
  double least = 0;
  const Index most_tasks = std::clamp<Index>(M * N * T / kTaskProducts, 1, kTasks);
  for (Index column_blocks = (N + kMostCols - 1) / kMostCols;; ++column_blocks) {
    const Index row_blocks =
        std::max({Index{1}, (M + kMostRows - 1) / kMostRows, most_tasks / column_blocks});
    const Index rows = std::max<Index>(1, M / row_blocks),
                cols = round_up((N + column_blocks - 1) / column_blocks, kTileLanes);
    const double cost = 4.0 / static_cast<double>(rows) + 4.0 / static_cast<double>(cols);
    if (best.row_blocks == 0 || cost < least) {
      least = cost;
      best = {row_blocks, column_blocks};
    }
    if (column_blocks >= most_tasks || column_blocks * kTileLanes >= N) break;
  }
  return best;
}

}  // namespace

void weight_in_blocks(const WeightTask& whole) {
  const Index M = whole.c.rows, N = whole.c.cols;
  if (N == 0 || (M == 0 && !whole.column_sums)) return;
  const Index T = whole.leaf_count > 0 ? whole.leaves[whole.leaf_count - 1].end - whole.leaves[0].begin : 0;
  const GemmTable& table = gemm_table();
  const GemmGrid grid = weight_grid(M, N, T);
  parallel_for(grid.row_blocks * grid.column_blocks, [&](Index index) {
    const Index row = index % grid.row_blocks * M / grid.row_blocks,
                end = (index % grid.row_blocks + 1) * M / grid.row_blocks;
    const Index groups = (N + kTileLanes - 1) / kTileLanes, block = index / grid.row_blocks;
    const Index first = block * groups / grid.column_blocks * kTileLanes;
    const Index last = std::min(N, (block + 1) * groups / grid.column_blocks * kTileLanes);
    WeightTask task = whole;
    task.x = columns_between(whole.x, row, end);
    task.y = columns_between(whole.y, first, last);
    task.c = columns_between(whole.c.rows_between(row, end), first, last);
    task.column_sums = whole.column_sums && row == 0 ? whole.column_sums + first : nullptr;
    task.scratch = thread_scratch(weight_scratch(end - row, last - first, whole.depth));
    table.weight(task);
  });
}

void linear_backward_weight(ConstMatrix x, ConstMatrix dy, const FoldPlan& plan, Matrix dw, Real* db,
                            bool accumulate) {
  weight_in_blocks({.x = x,
                    .y = dy,
                    .leaves = plan.leaves.data(),
                    .leaf_count = static_cast<Index>(plan.leaves.size()),
                    .last_merges = plan.leaves.empty() ? 0 : plan.leaves.back().merges,
                    .depth = plan.depth,
                    .c = dw,
                    .column_sums = db,
                    .accumulate = accumulate});
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
