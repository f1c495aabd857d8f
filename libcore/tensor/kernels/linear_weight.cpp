// Gradients of weights and biases: Σ_t x[t]ᵀ dy[t], folded by the plan inside each block of the result. A
// small result over many tokens is cut by tokens too: whole subtrees of the fold, put together at the end.
#ifndef HEADWATER_DOUBLE

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/fold_blocks.hpp"
#include "tensor/kernels/gemm_tasks.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

namespace {

constexpr Index kMostSide = 256;  // of a block: packed tokens and partial sums stay in L2
constexpr Index kTaskProducts = 2'000'000;
constexpr Index kMostTasks = 16;

Index blocks_of(Index side) { return std::max<Index>(1, (side + kMostSide - 1) / kMostSide); }

GemmGrid weight_grid(Index M, Index N, Index T) {
  return best_grid({.M = M,
                    .N = N,
                    .row_blocks = blocks_of(M),
                    .column_blocks = blocks_of(N),
                    .tasks = std::clamp<Index>(M * N * T / kTaskProducts, 1, kMostTasks),
                    .row_cost = 12,
                    .column_cost = 12});
}

// The part of `whole` at (block of rows, block of columns).
void run_block(const GemmTable& table, const WeightTask& whole, const GemmGrid& grid, Index i, Index j) {
  const Index M = whole.c.rows, N = whole.c.cols, groups = (N + kTileLanes - 1) / kTileLanes;
  const Index row = i * M / grid.row_blocks, end = (i + 1) * M / grid.row_blocks;
  const Index first = j * groups / grid.column_blocks * kTileLanes;
  const Index last = std::min(N, (j + 1) * groups / grid.column_blocks * kTileLanes);
  WeightTask task = whole;
  task.x = columns_between(whole.x, row, end);
  task.y = columns_between(whole.y, first, last);
  task.c = columns_between(whole.c.rows_between(row, end), first, last);
  task.column_sums = whole.column_sums && i == 0 ? whole.column_sums + first : nullptr;
  task.scratch = thread_scratch(weight_scratch(end - row, last - first, whole.depth));
  table.weight(task);
}

void run_parts(const GemmTable& table, const WeightTask& whole, const FoldParts& parts) {
  const Index M = whole.c.rows, N = whole.c.cols, values = M * N + N;
  const GemmGrid grid{blocks_of(M), blocks_of(N)};
  const Index blocks = grid.row_blocks * grid.column_blocks, origin = whole.leaves[0].begin;
  const SharedScratch sums(parts.count * values);
  parallel_for(parts.count * blocks, [&](Index index) {
    const Index part = index / blocks, place = index % blocks;
    const FoldBlock& block = parts.block[static_cast<std::size_t>(part)];
    WeightTask task = whole;
    task.x = whole.x.rows_between(block.begin - origin, block.end - origin);
    task.y = whole.y.rows_between(block.begin - origin, block.end - origin);
    task.leaves = whole.leaves + block.first;
    task.leaf_count = block.last - block.first + 1;
    task.last_merges = block.inner;
    task.c = Matrix(sums.data() + part * values, M, N);
    task.column_sums = whole.column_sums ? sums.data() + part * values + M * N : nullptr;
    task.accumulate = false;
    run_block(table, task, grid, place % grid.row_blocks, place / grid.row_blocks);
  });
  const auto fold = [&](Index first, Index count, float* to) {
    table.fold({sums.data() + first, values, parts.count, parts.merges.data(), to, count, whole.accumulate});
  };
  constexpr Index kRowsATask = 32;
  parallel_for((M + kRowsATask - 1) / kRowsATask, [&](Index task) {
    for (Index r = task * kRowsATask; r < std::min(M, (task + 1) * kRowsATask); ++r)
      fold(r * N, N, whole.c.row(r));
  });
  if (whole.column_sums) fold(M * N, N, whole.column_sums);
}

}  // namespace

void weight_in_blocks(const WeightTask& whole) {
  const Index M = whole.c.rows, N = whole.c.cols;
  if (N == 0 || (M == 0 && !whole.column_sums)) return;
  const Index T = whole.leaf_count > 0 ? whole.leaves[whole.leaf_count - 1].end - whole.leaves[0].begin : 0;
  const GemmTable& table = gemm_table();
  const bool is_thin = whole.leaf_count == 1 && T <= kThinRows;  // written row by row
  const GemmGrid grid = is_thin ? GemmGrid{thin_tasks(M, N, M), 1} : weight_grid(M, N, T);
  parallel_for(grid.row_blocks * grid.column_blocks, [&](Index index) {
    run_block(table, whole, grid, index % grid.row_blocks, index / grid.row_blocks);
  });
}

void linear_backward_weight(ConstMatrix x, ConstMatrix dy, const FoldPlan& plan, Matrix dw, Real* db,
                            bool accumulate) {
  const WeightTask whole{.x = x,
                         .y = dy,
                         .leaves = plan.leaves.data(),
                         .leaf_count = static_cast<Index>(plan.leaves.size()),
                         .last_merges = plan.leaves.empty() ? 0 : plan.leaves.back().merges,
                         .depth = plan.depth,
                         .c = dw,
                         .column_sums = db,
                         .accumulate = accumulate};
  // Blocks of the result alone are too few for many threads, or would have to be so small that reading the
  // tokens costs more than the work.
  const Index blocks = blocks_of(dw.rows) * blocks_of(dw.cols);
  if (blocks < 8 && dw.rows > 0 && dw.cols > 0) {
    const bool is_small = dw.rows * dw.cols <= 128 * 128;  // partial sums stay in L2
    const FoldParts parts = fold_parts(plan, 8 / blocks, is_small ? 192 : 256);
    if (parts.count > 1) return run_parts(gemm_table(), whole, parts);
  }
  weight_in_blocks(whole);
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
