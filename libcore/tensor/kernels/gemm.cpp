// Cuts products of matrices into blocks of the output, by their shape only.
#ifndef HEADWATER_DOUBLE

#include <algorithm>
#include <cstring>

#include "support/parallel.hpp"
#include "tensor/kernels/gemm_table.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

#ifdef HEADWATER_X86
namespace avx512 {
extern const GemmTable gemm_functions;
}
namespace avx2 {
extern const GemmTable gemm_functions;
}
const GemmTable& gemm_table() { return active_isa() == Isa::avx512 ? avx512::gemm_functions : avx2::gemm_functions; }
#else
namespace portable {
extern const GemmTable gemm_functions;
}
const GemmTable& gemm_table() { return portable::gemm_functions; }
#endif

namespace {

// A grid of blocks over an output of `rows` by `columns`.
struct Grid {
  Index row_blocks, column_blocks;
  Index rows, columns;
  Index row(Index i) const { return i * rows / row_blocks; }
  Index column(Index j) const { return std::min(columns, (columns + kPanel - 1) / kPanel * j / column_blocks * kPanel); }
  Index count() const { return row_blocks * column_blocks; }
};

Index divide_up(Index a, Index b) { return (a + b - 1) / b; }

// Blocks of at most 256 columns; about 16 blocks where the work is worth it, so that threads end together. Rows are cut rather than columns
// (each row block packs B again) only where columns do not suffice.
Grid cut(Index rows, Index columns, double operations, Index most_rows) {
  constexpr double kLeastOperations = 400'000;  // of a block: some 5 microseconds
  const auto wanted = std::clamp<Index>(static_cast<Index>(operations / kLeastOperations), 1, 16);
  Index column_blocks = divide_up(columns, kMostColumns);
  Index row_blocks = divide_up(rows, most_rows);
  if (column_blocks * row_blocks < wanted) {
    const Index by_columns = std::min<Index>(divide_up(wanted, row_blocks), divide_up(columns, 64));
    column_blocks = std::max(column_blocks, by_columns);
    row_blocks = std::max(row_blocks, std::min<Index>(divide_up(wanted, column_blocks), divide_up(rows, 56)));
  }
  return {row_blocks, column_blocks, rows, columns};
}

void multiply(ConstMatrix a, ConstMatrix b, Layout layout, Matrix c, const Finish& finish) {
  if (c.rows == 0 || c.cols == 0) return;
  const Index K = a.cols;
  const Grid grid = cut(c.rows, c.cols, 2.0 * static_cast<double>(c.rows) * static_cast<double>(c.cols) * static_cast<double>(K),
                        finish.accumulate && K > kDepth ? 256 : 1024);
  const GemmTable& table = gemm_table();
  parallel_for(grid.count(), [&](Index task) {
    const Index i = task / grid.column_blocks, j = task % grid.column_blocks;
    const Index row = grid.row(i), column = grid.column(j);
    GemmBlock block{.M = grid.row(i + 1) - row,
                    .N = grid.column(j + 1) - column,
                    .K = K,
                    .a = a.row(row),
                    .a_stride = a.stride,
                    .b = layout == Layout::plain ? b.data + column : b.row(column),
                    .b_stride = b.stride,
                    .b_layout = layout,
                    .c = c.row(row) + column,
                    .c_stride = c.stride,
                    .finish = finish,
                    .scratch = nullptr};
    if (block.M == 0 || block.N <= 0) return;
    block.scratch = thread_scratch(gemm_scratch(block.M, K, finish.accumulate));
    if (finish.bias) block.finish.bias += column;
    if (finish.pre) block.finish.pre += row * finish.pre_stride + column;
    table.gemm(block);
  });
}

// The leaves of a plan, or of a part of one with rows counted from its first.
struct Leaves {
  std::span<const FoldLeaf> leaves;
  int depth;
};

void weight_gradient(ConstMatrix x, ConstMatrix dy, const Leaves& plan, Matrix dw, Real* db, bool accumulate) {
  const Index M = dw.rows, N = dw.cols;
  if (plan.leaves.empty()) {
    for (Index i = 0; !accumulate && i < M; ++i) std::memset(dw.row(i), 0, static_cast<std::size_t>(N) * sizeof(Real));
    if (!accumulate && db) std::memset(db, 0, static_cast<std::size_t>(N) * sizeof(Real));
    return;
  }
  const Index T = plan.leaves.back().end;
  const Grid grid = cut(M, N, 2.0 * static_cast<double>(M) * static_cast<double>(N) * static_cast<double>(T), kMostWeightRows);
  const Index sums = db ? divide_up(N, kMostColumns) : 0;  // tasks for db, after those for dw
  const GemmTable& table = gemm_table();
  parallel_for(grid.count() + sums, [&](Index task) {
    WeightBlock block{.M = 1,
                      .N = 0,
                      .a = x.data,
                      .a_stride = x.stride,
                      .b = dy.data,
                      .b_stride = dy.stride,
                      .c = nullptr,
                      .c_stride = dw.stride,
                      .accumulate = accumulate,
                      .leaves = plan.leaves.data(),
                      .leaf_count = static_cast<Index>(plan.leaves.size()),
                      .depth = plan.depth,
                      .scratch = nullptr};
    if (task >= grid.count()) {
      const Index column = (task - grid.count()) * kMostColumns;
      block.N = std::min(kMostColumns, N - column);
      block.b += column;
      block.c = db + column;
      table.column_sums(block);
      return;
    }
    const Index i = task / grid.column_blocks, j = task % grid.column_blocks;
    const Index row = grid.row(i), column = grid.column(j);
    block.M = grid.row(i + 1) - row;
    block.N = grid.column(j + 1) - column;
    if (block.M == 0 || block.N <= 0) return;
    block.a += row;
    block.b += column;
    block.c = dw.row(row) + column;
    block.scratch = thread_scratch(weight_scratch(plan.depth));
    table.weight_gradient(block);
  });
}

// Rows of work for elementwise passes: about 16 k elements a task.
template <class Body>
void for_each_rows(Index rows, Index columns, const Body& body) {
  const Index rows_a_task = std::max<Index>(1, 16'384 / std::max<Index>(1, columns));
  parallel_for(divide_up(rows, rows_a_task), [&](Index task) {
    for (Index r = task * rows_a_task; r < std::min(rows, (task + 1) * rows_a_task); ++r) body(r);
  });
}

}  // namespace

void linear(ConstMatrix x, ConstMatrix w, const Real* bias, Activation activation, Matrix y, Matrix pre) {
  multiply(x, w, Layout::plain, y,
           {.bias = bias, .activation = activation, .pre = pre.data, .pre_stride = pre.stride, .accumulate = false});
}

void linear_transposed(ConstMatrix x, ConstMatrix w, const Real* bias, Matrix y) {
  multiply(x, w, Layout::transposed, y, {.bias = bias});
}

void linear_backward_input(ConstMatrix dy, ConstMatrix w, Matrix dx, bool accumulate) {
  multiply(dy, w, Layout::transposed, dx, {.accumulate = accumulate});
}

void linear_backward_weight(ConstMatrix x, ConstMatrix dy, const FoldPlan& plan, Matrix dw, Real* db, bool accumulate) {
  weight_gradient(x, dy, {plan.leaves, plan.depth}, dw, db, accumulate);
}

void activate(Activation activation, ConstMatrix x, Matrix y) {
  const GemmTable& table = gemm_table();
  for_each_rows(x.rows, x.cols, [&](Index r) { table.activate(activation, x.row(r), y.row(r), x.cols); });
}

void activation_backward(Activation activation, ConstMatrix y, ConstMatrix pre, ConstMatrix dy, Matrix dpre) {
  const GemmTable& table = gemm_table();
  for_each_rows(dy.rows, dy.cols, [&](Index r) {
    table.activate_backward(activation, y ? y.row(r) : nullptr, pre ? pre.row(r) : nullptr, dy.row(r), dpre.row(r), dy.cols);
  });
}

// --- Cross-entropy in blocks of rows -----------------------------------------------------------------------------------------
//
// A block is a maximal subtree of the plan with at most 512 rows, or one leaf. Within it the weight gradient folds inside the product; blocks are
// then folded as the plan says: where the left operand of a fold is what dw already holds, the product is added to dw itself, so that the usual
// two blocks need no further memory.

namespace {

struct Block {
  std::size_t first, last;  // leaves
  int merges;               // folds with earlier blocks after this one
};

// Calls body(block) for each block in order.
template <class Body>
void for_each_block(const FoldPlan& plan, const Body& body) {
  // From the left, the largest subtree that begins at `first` and is small enough: subtrees end where the count of partial sums since `first` is 1.
  std::size_t first = 0;
  const std::size_t count = plan.leaves.size();
  while (first < count) {
    std::size_t last = first;
    int merges = plan.leaves[first].merges;
    int alive = 0;
    for (std::size_t i = first; i < count; ++i) {
      const FoldLeaf& leaf = plan.leaves[i];
      if (i > first && leaf.end - plan.leaves[first].begin > kChunkTokens) break;
      ++alive;
      // Folds of this leaf that stay within the candidate; what is left over reaches further back.
      const int inside = std::min(leaf.merges, alive - 1);
      alive -= inside;
      if (alive == 1) {
        last = i;
        merges = leaf.merges - inside;
      }
      if (leaf.merges > inside) break;
    }
    body(Block{first, last, merges});
    first = last + 1;
  }
}

}  // namespace

Index cross_entropy_block_rows(const FoldPlan& plan) {
  Index most = 0;
  for_each_block(plan, [&](const Block& b) { most = std::max(most, plan.leaves[b.last].end - plan.leaves[b.first].begin); });
  return most;
}

Index cross_entropy_scratch_rows(const FoldPlan& plan) {
  // Partial sums that wait beside the one in dw; a block that folds at once is added in place.
  Index alive = 0, most = 0;
  for_each_block(plan, [&](const Block& b) {
    const Index before = alive;
    alive += 1 - b.merges;
    most = std::max(most, b.merges > 0 ? before : before + 1);
  });
  return std::max<Index>(0, most - 1);
}

CrossEntropyTotals linear_cross_entropy(ConstMatrix h, ConstMatrix w, bool is_transposed, const Real* bias,
                                        std::span<const std::int32_t> labels, Real label_smoothing, Real loss_scale, const FoldPlan& plan,
                                        Matrix block, CrossEntropyGradients* gradients) {
  const Index V = is_transposed ? w.rows : w.cols;
  const GemmTable& table = gemm_table();
  CrossEntropyTotals totals;
  totals.tokens = h.rows;
  if (gradients && plan.leaves.empty()) {
    weight_gradient(h, h, {}, gradients->dw, gradients->db, gradients->accumulate_parameters);
    return totals;
  }

  // Partial sums of dw and db: level 0 is dw and db themselves, level i > 0 row i - 1 of fold_scratch.
  struct Partial {
    Matrix dw;
    Real* db;
  };
  const auto partial = [&](int level) {
    const bool is_own = level == 0 && !gradients->accumulate_parameters;
    if (is_own) return Partial{gradients->dw, gradients->db};
    Real* at = gradients->fold_scratch.row(gradients->accumulate_parameters ? level : level - 1);
    return Partial{{at, gradients->dw.rows, gradients->dw.cols}, gradients->db ? at + gradients->dw.rows * gradients->dw.cols : nullptr};
  };
  const auto add_partial = [&](const Partial& from, const Partial& to) {
    for_each_rows(to.dw.rows, to.dw.cols, [&](Index r) { table.add_rows(from.dw.row(r), to.dw.row(r), to.dw.cols); });
    if (to.db) table.add_rows(from.db, to.db, V);
  };

  constexpr Index kLossBlock = 4096;  // losses are summed in double, in blocks of so many tokens
  double block_loss = 0;
  Index in_block = 0;
  int alive = 0;
  for_each_block(plan, [&](const Block& b) {
    const Index begin = plan.leaves[b.first].begin, end = plan.leaves[b.last].end, rows = end - begin;
    const Matrix logits(block.data, rows, V, block.stride);
    multiply(h.rows_between(begin, end), w, is_transposed ? Layout::transposed : Layout::plain, logits, {.bias = bias});
    // The loss and the verdict of a row wait in its first column's place no longer: they go to a small array of this block.
    float losses[2 * kChunkTokens];
    bool is_correct[2 * kChunkTokens];
    parallel_for(divide_up(rows, 4), [&](Index task) {
      for (Index r = 4 * task; r < std::min(rows, 4 * task + 4); ++r) {
        const CrossEntropyRowResult result = table.cross_entropy_row({.logits = logits.row(r),
                                                                      .V = V,
                                                                      .label = labels[static_cast<std::size_t>(begin + r)],
                                                                      .smoothing = label_smoothing,
                                                                      .loss_scale = loss_scale,
                                                                      .wants_gradient = gradients != nullptr});
        losses[r] = result.loss;
        is_correct[r] = result.is_correct;
      }
    });
    for (Index r = 0; r < rows; ++r) {
      block_loss += static_cast<double>(losses[r]);
      totals.correct += is_correct[r];
      if (++in_block == kLossBlock) {
        totals.loss += block_loss;
        block_loss = 0;
        in_block = 0;
      }
    }
    if (!gradients) return;
    multiply(logits, w, is_transposed ? Layout::plain : Layout::transposed, gradients->dh.rows_between(begin, end), {});

    // This block's part of the tree, with rows counted from its first.
    FoldLeaf leaves[2 * kChunkTokens];
    const std::size_t count = b.last - b.first + 1;
    int depth = 0, inside = 0;
    for (std::size_t i = 0; i < count; ++i) {
      leaves[i] = plan.leaves[b.first + i];
      leaves[i].begin -= begin;
      leaves[i].end -= begin;
      depth = std::max(depth, ++inside);
      if (i + 1 == count) leaves[i].merges -= b.merges;
      inside -= leaves[i].merges;
    }
    const bool folds_at_once = b.merges > 0;
    const Partial to = partial(folds_at_once ? alive - 1 : alive);
    const ConstMatrix rows_of_h = h.rows_between(begin, end);
    const Leaves part{{leaves, count}, depth};
    if (is_transposed) {
      weight_gradient(logits, rows_of_h, part, to.dw, nullptr, folds_at_once);
      if (to.db) {
        const Matrix none(nullptr, 0, V);
        weight_gradient(logits, logits, part, none, to.db, folds_at_once);
      }
    } else {
      weight_gradient(rows_of_h, logits, part, to.dw, to.db, folds_at_once);
    }
    alive += folds_at_once ? 0 : 1;
    for (int merge = 1; merge < b.merges; ++merge) {
      --alive;
      add_partial(partial(alive), partial(alive - 1));
    }
  });
  totals.loss += block_loss;
  if (gradients && gradients->accumulate_parameters) add_partial(partial(0), {gradients->dw, gradients->db});
  return totals;
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
