// Products of activations with weights, cut into blocks of rows and columns: an element is one chain,
// whatever block it is in.
#ifndef HEADWATER_DOUBLE

#include <algorithm>
#include <array>

#include "support/parallel.hpp"
#include "tensor/kernels/gemm/gemm.hpp"
#include "tensor/kernels/gemm/gemm_tasks.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

namespace {

constexpr Index kMaxPacked =
    96 * 1024;  // floats of a block of b: with what else is used it stays in 1 MiB of L2
constexpr Index kTaskProducts =
    2'000'000;                   // a task should have so many multiplications, 10 to 20 microseconds
constexpr Index kMaxTasks = 16;  // at most

// What it costs that `tasks` equal tasks do not end together: the time over that of a perfect cut, less 1.
// The fewer there are the less they make up for a late thread.
double uneven_end(Index tasks, Index threads) {
  constexpr double kLate = 0.04;
  if (threads == 1) return 0;
  const auto count = static_cast<double>(tasks);
  return static_cast<double>(round_up(tasks, threads)) / count - 1 +
         kLate * static_cast<double>(threads) / count;
}

}  // namespace

GemmGrid best_grid(const GridRule& rule) {
  const Index threads = std::min<Index>(parallel_threads(), rule.tasks);
  GemmGrid best;
  double least = 0;
  const Index max_cols =
      std::max(rule.column_blocks, std::min(kMaxTasks, (rule.N + kTileLanes - 1) / kTileLanes));
  for (Index cols = rule.column_blocks; cols <= max_cols; ++cols) {
    for (Index rows = rule.row_blocks;
         rows == rule.row_blocks || (rows * cols <= rule.tasks && rows <= rule.M); ++rows) {
      const double height = static_cast<double>((rule.M + rows - 1) / rows);
      const double width = static_cast<double>(round_up((rule.N + cols - 1) / cols, kTileLanes));
      double cost = rule.row_cost / height + rule.column_cost / width;
      cost += uneven_end(rows * cols, threads);
      if (best.row_blocks == 0 || cost < least) {
        least = cost;
        best = {rows, cols};
      }
    }
  }
  return best;
}

// Every cut costs: a column block reads a again, a row block packs b again.
GemmGrid gemm_grid(Index M, Index N, Index K) {
  if (M == 0 || N == 0) return {};
  if (M <= kGemvRows) return {1, gemv_tasks(N, K, (N + kTileLanes - 1) / kTileLanes)};
  const Index depth = std::clamp<Index>(K, 1, kKC);
  const Index products = M * N * std::max<Index>(K, 1);
  return best_grid(
      {.M = M,
       .N = N,
       .row_blocks = 1,
       .column_blocks = std::max<Index>(1, (round_up(N, kTileLanes) * depth + kMaxPacked - 1) / kMaxPacked),
       .tasks = std::clamp<Index>((products + kTaskProducts / 2) / kTaskProducts, 1, kMaxTasks),
       .row_cost = 14,
       .column_cost = 12});
}

void multiply_block(const GemmTask& whole, const GemmGrid& grid, Index index) {
  const Index M = whole.c.rows, N = whole.c.cols;
  const Index row = index % grid.row_blocks * M / grid.row_blocks,
              end = (index % grid.row_blocks + 1) * M / grid.row_blocks;
  const Index groups = (N + kTileLanes - 1) / kTileLanes, block = index / grid.row_blocks;
  const Index first = block * groups / grid.column_blocks * kTileLanes;
  const Index last = std::min(N, (block + 1) * groups / grid.column_blocks * kTileLanes);
  GemmTask task = whole;
  task.a = whole.a.rows_between(row, end);
  task.b = whole.is_transposed ? whole.b.rows_between(first, last) : whole.b.columns_between(first, last);
  task.c = whole.c.rows_between(row, end).columns_between(first, last);
  if (task.epilogue.bias) task.epilogue.bias += first;
  if (task.epilogue.slope)
    task.epilogue.slope = whole.epilogue.slope.rows_between(row, end).columns_between(first, last);
  if (ConstMatrix& kept = task.epilogue.undone.kept)
    kept = whole.epilogue.undone.kept.rows_between(row, end).columns_between(first, last);
  task.scratch = thread_scratch(gemm_scratch(end - row, last - first, whole.a.cols));
  kernel_table().gemm->multiply(task);
}

void multiply_in_blocks(const GemmTask& whole) {
  const GemmGrid grid = gemm_grid(whole.c.rows, whole.c.cols, whole.a.cols);
  parallel_for(grid.count(), [&](Index index) { multiply_block(whole, grid, index); });
}

void linear(ConstMatrix x, ConstMatrix w, const Real* bias, Activation activation, Matrix y, Matrix slope) {
  multiply_in_blocks(
      {.a = x, .b = w, .c = y, .epilogue = {.bias = bias, .activation = activation, .slope = slope}});
}

void project(ConstMatrix x, std::span<const Projection> projections) {
  Index columns = x.cols;
  for (const Projection& p : projections) columns += p.y.cols;
  if (!are_joined(x.rows, columns)) {
    for (const Projection& p : projections) linear(x, p.w, p.bias, Activation::none, p.y);
    return;
  }
  std::array<GemmGrid, kMaxProjections> grids;
  JoinedTasks tasks;
  for (std::size_t i = 0; i < projections.size(); ++i) {
    grids[i] = gemm_grid(x.rows, projections[i].y.cols, x.cols);
    tasks.add(grids[i].count());
  }
  parallel_for(tasks.count(), [&](Index index) {
    const auto [i, task] = tasks.at(index);
    const Projection& p = projections[i];
    multiply_block({.a = x, .b = p.w, .c = p.y, .epilogue = {.bias = p.bias}}, grids[i], task);
  });
}

void linear_transposed(ConstMatrix x, ConstMatrix w, const Real* bias, Matrix y) {
  multiply_in_blocks({.a = x, .b = w, .is_transposed = true, .c = y, .epilogue = {.bias = bias}});
}

void linear_backward_input(ConstMatrix dy, ConstMatrix w, Matrix dx, bool accumulate,
                           const UndoneActivation& undone) {
  multiply_in_blocks({.a = dy,
                      .b = w,
                      .is_transposed = true,
                      .c = dx,
                      .epilogue = {.accumulate = accumulate, .undone = undone}});
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
