// Gradients of weights and biases: Σ_t x[t]ᵀ dy[t], reduced by the plan inside each block of the result. A
// small result over many tokens is cut by tokens too: whole subtrees of the reduction, put together at the
// end.
#ifndef HEADWATER_DOUBLE

#include <algorithm>
#include <array>

#include "support/parallel.hpp"
#include "tensor/kernels/gemm/gemm_tasks.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

namespace {

constexpr Index kMaxSide = 256;  // of a block: packed tokens and partial sums stay in L2
constexpr Index kTaskProducts = 2'000'000;
constexpr Index kMaxTasks = 16;

Index blocks_of(Index side) { return std::max<Index>(1, (side + kMaxSide - 1) / kMaxSide); }

GemmGrid weight_grid(Index M, Index N, Index T) {
  return best_grid({.M = M,
                    .N = N,
                    .row_blocks = blocks_of(M),
                    .column_blocks = blocks_of(N),
                    .tasks = std::clamp<Index>((M * N * T + kTaskProducts / 2) / kTaskProducts, 1, kMaxTasks),
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
  task.x = whole.x.columns_between(row, end);
  task.y = whole.y.columns_between(first, last);
  task.c = whole.c.rows_between(row, end).columns_between(first, last);
  task.column_sums = whole.column_sums && i == 0 ? whole.column_sums + first : nullptr;
  task.scratch = thread_scratch(weight_scratch(end - row, last - first, whole.depth));
  table.weight(task);
}

constexpr Index kSmall = 128 * 128;   // values of a result whose partial sums stay in L2
constexpr Index kReductionRows = 32;  // of a task

}  // namespace

WeightTasks::WeightTasks(const WeightTask& whole) : whole_(whole) {
  const Index M = whole.c.rows, N = whole.c.cols;
  if (N == 0 || (M == 0 && !whole.column_sums)) return;
  const Index T = whole.leaf_count > 0 ? whole.leaves[whole.leaf_count - 1].end - whole.leaves[0].begin : 0;
  const bool is_gemv = whole.leaf_count == 1 && T <= kGemvRows;  // written row by row
  grid_ = is_gemv ? GemmGrid{gemv_tasks(M, N, M), 1} : weight_grid(M, N, T);
}

WeightTasks::WeightTasks(const WeightTask& whole, const ReductionTree& plan, Index wanted)
    : WeightTasks(whole) {
  if (parallel_threads() == 1) return;
  // Blocks of the result alone are too few for many threads, or would have to be so small that reading the
  // tokens costs more than the work.
  const Index M = whole.c.rows, N = whole.c.cols;
  const GemmGrid grid{blocks_of(M), blocks_of(N)};
  if (grid.count() >= 8 || M == 0 || N == 0) return;
  const bool is_small = M * N <= kSmall;
  if (wanted > grid.count()) parts_ = reduce_parts(plan, wanted / grid.count(), is_small ? 192 : 256);
  if (parts_.count == 1) parts_.count = 0;
  if (parts_.count > 0) grid_ = grid;
}

void WeightTasks::run(Index index) const {
  const GemmTable& table = *kernel_table().gemm;
  const Index place = index % grid_.count(), i = place % grid_.row_blocks, j = place / grid_.row_blocks;
  if (parts_.count == 0) return run_block(table, whole_, grid_, i, j);
  const Index part = index / grid_.count(), origin = whole_.leaves[0].begin;
  const ReductionBlock& block = parts_.block[part];
  WeightTask task = whole_;
  task.x = whole_.x.rows_between(block.begin - origin, block.end - origin);
  task.y = whole_.y.rows_between(block.begin - origin, block.end - origin);
  task.leaves = whole_.leaves + block.first;
  task.leaf_count = block.last - block.first + 1;
  task.last_merges = block.inner;
  task.c = Matrix(sums_ + part * values(), whole_.c.rows, whole_.c.cols);
  if (whole_.column_sums) task.column_sums = sums_ + part * values() + whole_.c.rows * whole_.c.cols;
  task.accumulate = false;
  run_block(table, task, grid_, i, j);
}

Index WeightTasks::reduction_count() const {
  return parts_.count == 0 ? 0 : (whole_.c.rows + kReductionRows - 1) / kReductionRows;
}

void WeightTasks::reduce(Index task) const {
  const Index M = whole_.c.rows, N = whole_.c.cols;
  const auto reduce = [&](Index first, float* to) {
    kernel_table().gemm->reduce(
        {sums_ + first, values(), parts_.count, parts_.merges.data(), to, N, whole_.accumulate});
  };
  for (Index r = task * kReductionRows; r < std::min(M, (task + 1) * kReductionRows); ++r)
    reduce(r * N, whole_.c.row(r));
  if (task == 0 && whole_.column_sums) reduce(M * N, whole_.column_sums);
}

void weight_in_blocks(const WeightTask& whole) {
  const WeightTasks tasks(whole);
  parallel_for(tasks.count(), [&](Index task) { tasks.run(task); });
}

void linear_backward_weight(ConstMatrix x, ConstMatrix dy, const ReductionTree& plan, Matrix dw, Real* db,
                            bool accumulate) {
  const LinearGradient gradient{dy, {}, dw, db, accumulate};
  linear_backward(x, {&gradient, 1}, plan, {}, false);
}

void linear_backward(ConstMatrix x, std::span<const LinearGradient> gradients, const ReductionTree& plan,
                     Matrix dx, bool accumulate_dx, const UndoneActivation& undone) {
  Index columns = x.cols;
  for (const LinearGradient& g : gradients) columns += g.dy.cols;
  if ((dx || gradients.size() > 1) && !are_joined(x.rows, columns)) {
    for (const LinearGradient& g : gradients) {
      linear_backward(x, {&g, 1}, plan, {}, false);
      if (dx) linear_backward_input(g.dy, g.w, dx, accumulate_dx || &g != gradients.data(), undone);
    }
    return;
  }
  // Beside the tasks of dx a small result over few tokens needs no more than two parts: less to put together.
  const bool is_short = plan.rows < 1024;
  std::array<WeightTasks, kMaxProjections> weights;
  JoinedTasks tasks;
  Index reduces = 0, partial_floats = 0, outputs = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const LinearGradient& g = gradients[i];
    weights[i] = WeightTasks({.x = x,
                              .y = g.dy,
                              .leaves = plan.leaves.data(),
                              .leaf_count = static_cast<Index>(plan.leaves.size()),
                              .last_merges = plan.leaves.empty() ? 0 : plan.leaves.back().merges,
                              .depth = plan.depth,
                              .c = g.dw,
                              .column_sums = g.db,
                              .accumulate = g.accumulate},
                             plan, dx && is_short && g.dw.rows * g.dw.cols <= kSmall ? 2 : 8);
    tasks.add(weights[i].count());
    reduces += weights[i].reduction_count();
    partial_floats += round_up(weights[i].partial_floats(), 16);
    outputs += g.dy.cols;
  }
  const SharedScratch partial_sums(partial_floats);
  partial_floats = 0;
  for (WeightTasks& w : weights) {
    w.keep_partial_sums(partial_sums.data() + partial_floats);
    partial_floats += round_up(w.partial_floats(), 16);
  }
  const GemmGrid grid = dx ? gemm_grid(dx.rows, dx.cols, outputs) : GemmGrid{};
  tasks.add(grid.count());
  parallel_for(tasks.count(), [&](Index index) {
    const auto [product, task] = tasks.at(index);
    if (product < gradients.size()) return weights[product].run(task);
    bool accumulate = accumulate_dx;
    for (const LinearGradient& g : gradients) {
      multiply_block({.a = g.dy,
                      .b = g.w,
                      .is_transposed = true,
                      .c = dx,
                      .epilogue = {.accumulate = accumulate, .undone = undone}},
                     grid, task);
      accumulate = true;
    }
  });
  parallel_for(reduces, [&](Index task) {
    for (const WeightTasks& w : weights) {
      if (task < w.reduction_count()) return w.reduce(task);
      task -= w.reduction_count();
    }
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
