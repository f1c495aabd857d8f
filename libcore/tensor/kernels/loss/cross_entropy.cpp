// Softmax cross-entropy fused with the output projection, in blocks of rows: logits, loss, their gradient and
// both gradient products while the block is warm. A block is a whole subtree of the reduction, so that its
// part of dw is reduced inside the product; across blocks the plan's remaining merges are made here. Bits do
// not depend on the size of the blocks.
#ifndef HEADWATER_DOUBLE

#include <algorithm>
#include <array>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/elementwise/elementwise.hpp"
#include "tensor/kernels/gemm/gemm_tasks.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/loss/loss.hpp"
#include "tensor/kernels/reduction_blocks.hpp"

namespace headwater::kernels {

namespace {

constexpr Index kMaxBlockRows = kChunkTokens;

template <class F>
void for_each_block(const ReductionTree& plan, const F& f) {
  for_each_reduction_block(plan, kMaxBlockRows, f);
}

// Where the partial sums of dw and db lie, level by level: level 0 in the result itself, unless that holds
// something to be added to.
class PartialSums {
 public:
  PartialSums(CrossEntropyGradients& gradients, Index classes, bool is_one_block)
      : to_(gradients),
        classes_(classes),
        has_own_lowest_((gradients.accumulate_weight || gradients.accumulate_bias) && !is_one_block) {}

  Matrix dw(Index level) const {
    const Index row = scratch_row(level);
    return row < 0 ? to_.dw : Matrix(to_.reduction_scratch.row(row), to_.dw.rows, to_.dw.cols);
  }
  Real* db(Index level) const {
    const Index row = scratch_row(level);
    return !to_.db ? nullptr : row < 0 ? to_.db : to_.reduction_scratch.row(row) + to_.dw.rows * to_.dw.cols;
  }
  // The upper of the two topmost is added to the lower.
  void merge(Index lower) const {
    accumulate(dw(lower + 1), dw(lower));
    if (to_.db) accumulate(row(db(lower + 1)), row(db(lower)));
  }
  void finish() const {
    if (!has_own_lowest_) return;
    put(dw(0), to_.dw, to_.accumulate_weight);
    if (to_.db) put(row(db(0)), row(to_.db), to_.accumulate_bias);
  }

 private:
  Index scratch_row(Index level) const { return has_own_lowest_ ? level : level - 1; }
  static void put(ConstMatrix from, Matrix to, bool is_added) {
    if (is_added) {
      accumulate(from, to);
    } else {
      copy(from, to);
    }
  }
  Matrix row(Real* bias) const { return {bias, 1, classes_}; }

  CrossEntropyGradients& to_;
  Index classes_;
  bool has_own_lowest_;
};

struct RowValues {
  std::array<double, kMaxBlockRows> loss;
  std::array<bool, kMaxBlockRows> is_correct;
};

}  // namespace

Index cross_entropy_block_rows(const ReductionTree& plan) {
  Index rows = 0;
  for_each_block(plan, [&](const ReductionBlock& block) { rows = std::max(rows, block.rows()); });
  return rows;
}

// A block that is merged at once is added to the sum below it and needs no place of its own.
Index cross_entropy_scratch_rows(const ReductionTree& plan) {
  Index alive = 0, most = 0, blocks = 0;
  for_each_block(plan, [&](const ReductionBlock& block) {
    if (block.outer == 0) ++alive;
    most = std::max(most, alive);
    alive -= std::max(0, block.outer - 1);
    ++blocks;
  });
  return blocks > 1 ? most : 0;
}

CrossEntropyTotals linear_cross_entropy(ConstMatrix h, ConstMatrix w, bool is_transposed, const Real* bias,
                                        std::span<const std::int32_t> labels, Real label_smoothing,
                                        Real loss_scale, const ReductionTree& plan, Matrix block,
                                        CrossEntropyGradients* gradients) {
  const Index V = is_transposed ? w.rows : w.cols;
  const CrossEntropyTable& table = *kernel_table().cross_entropy;
  TreeSum loss;
  CrossEntropyTotals totals;
  totals.tokens = h.rows;
  Index level = 0;  // partial sums alive
  const bool is_one_block =
      plan.leaves.empty() || reduction_block_at(plan, 0, kMaxBlockRows).rows() == h.rows;
  for_each_block(plan, [&](const ReductionBlock& part) {
    const Matrix logits{block.data, part.rows(), V, block.stride};
    const ConstMatrix rows = h.rows_between(part.begin, part.end);
    multiply_in_blocks(
        {.a = rows, .b = w, .is_transposed = is_transposed, .c = logits, .finish = {.bias = bias}});
    RowValues values;
    const Index task_rows = std::max<Index>(1, 32'768 / V);
    parallel_for((logits.rows + task_rows - 1) / task_rows, [&](Index task) {
      for (Index r = task * task_rows; r < std::min(logits.rows, (task + 1) * task_rows); ++r) {
        const CrossEntropyValue value =
            table.cross_entropy({logits.row(r), V, labels[static_cast<std::size_t>(part.begin + r)],
                                 label_smoothing, loss_scale, gradients != nullptr});
        values.loss[static_cast<std::size_t>(r)] = value.loss;
        values.is_correct[static_cast<std::size_t>(r)] = value.is_correct;
      }
    });
    for (Index i = part.first; i <= part.last; ++i) {
      const ReductionLeaf& leaf = plan.leaves[static_cast<std::size_t>(i)];
      double chain = 0;
      for (Index t = leaf.begin; t < leaf.end; ++t) {
        const auto r = static_cast<std::size_t>(t - part.begin);
        chain += values.loss[r];
        totals.correct += values.is_correct[r];
      }
      loss.add(leaf, chain);
    }
    if (!gradients) return;
    multiply_in_blocks({.a = logits,
                        .b = w,
                        .is_transposed = !is_transposed,
                        .c = gradients->dh.rows_between(part.begin, part.end)});
    const PartialSums sums(*gradients, V, is_one_block);
    const auto is_added = [&](bool accumulate) { return part.outer > 0 || (is_one_block && accumulate); };
    const Index place = is_one_block ? 0 : part.outer > 0 ? level - 1 : level;
    WeightTask task{.x = rows,
                    .y = logits,
                    .leaves = plan.leaves.data() + part.first,
                    .leaf_count = part.last - part.first + 1,
                    .last_merges = part.inner,
                    .depth = plan.depth,
                    .c = sums.dw(place),
                    .column_sums = sums.db(place),
                    .accumulate = is_added(gradients->accumulate_weight)};
    if (is_transposed) {
      task.x = ConstMatrix{logits.data, logits.rows, 0, logits.stride};
      task.c = Matrix{nullptr, 0, V};
      task.accumulate = is_added(gradients->accumulate_bias);
      if (task.column_sums) weight_in_blocks(task);
      task.x = logits;
      task.y = rows;
      task.c = sums.dw(place);
      task.column_sums = nullptr;
      task.accumulate = is_added(gradients->accumulate_weight);
    }
    weight_in_blocks(task);
    if (part.outer == 0) ++level;
    for (int merge = 1; merge < part.outer; ++merge) {
      sums.merge(level - 2);
      --level;
    }
  });
  if (gradients && plan.leaves.empty()) {
    if (!gradients->accumulate_weight) fill(gradients->dw, 0);
    if (gradients->db && !gradients->accumulate_bias) fill({gradients->db, 1, V}, 0);
  } else if (gradients) {
    PartialSums(*gradients, V, is_one_block).finish();
  }
  totals.loss = loss.total();
  return totals;
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
