// Softmax cross-entropy fused with the output projection, in blocks of rows: logits, loss, their gradient and
// both gradient products while the block is warm. A block is a whole subtree of the reduction, so that its
// part of dw is reduced inside the product; across blocks the plan's remaining merges are made here. Bits do
// not depend on the size of the blocks.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/loss/loss.hpp"

#include <algorithm>
#include <array>

#include "support/parallel.hpp"
#include "tensor/kernels/elementwise/elementwise.hpp"
#include "tensor/kernels/gemm/gemm_tasks.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/reduction_blocks.hpp"
#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

namespace {

// Rows of a block: a chunk of the reduction; more where there are few classes, whose logits are small.
constexpr Index kMaxBlockRows = 2048, kBlockLogits = 128 * 1024;
Index block_rows(Index classes) { return std::clamp(kBlockLogits / classes, kChunkTokens, kMaxBlockRows); }

template <class F>
void for_each_block(const ReductionTree& plan, Index classes, const F& f) {
  for_each_reduction_block(plan, block_rows(classes), f);
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

struct LossRule {
  std::span<const std::int32_t> labels;
  Real label_smoothing, loss_scale;
  bool wants_gradient;
  std::span<const Real> class_weights;  // of each class; none: all are 1
  Real r_drop;                          // not 0: rows come in twos
};

void r_drop_of_rows(const Matrix& logits, Index r, std::int32_t label, const LossRule& rule,
                    RowValues& values) {
  const RDropValue value = kernel_table().cross_entropy->r_drop({{logits.row(r), logits.row(r + 1)},
                                                                 logits.cols,
                                                                 label,
                                                                 rule.label_smoothing,
                                                                 rule.loss_scale,
                                                                 rule.r_drop,
                                                                 rule.wants_gradient});
  for (Index copy = 0; copy < 2; ++copy) {
    values.loss[r + copy] = value.of[copy].loss;
    values.is_correct[r + copy] = value.of[copy].is_correct;
  }
}

// The loss of each row of a block's logits, which become the gradient where that is wanted.
void losses_of_rows(const Matrix& logits, Index first_row, const LossRule& rule, RowValues& values) {
  const CrossEntropyTable& table = *kernel_table().cross_entropy;
  const Index step = rule.r_drop != 0 ? 2 : 1;
  const Index task_rows = step * std::max<Index>(1, 16'384 / step / logits.cols);
  parallel_for((logits.rows + task_rows - 1) / task_rows, [&](Index task) {
    for (Index r = task * task_rows; r < std::min(logits.rows, (task + 1) * task_rows); r += step) {
      const std::int32_t label = rule.labels[first_row + r];
      if (rule.r_drop != 0) {
        r_drop_of_rows(logits, r, label, rule, values);
        continue;
      }
      const bool is_weighted = !rule.class_weights.empty();
      const Real weight = is_weighted ? rule.class_weights[label] : Real(1);
      const Real scale = is_weighted ? rule.loss_scale * weight : rule.loss_scale;
      const CrossEntropyValue value = table.cross_entropy(
          {logits.row(r), logits.cols, label, rule.label_smoothing, scale, rule.wants_gradient});
      values.loss[r] = is_weighted ? value.loss * static_cast<double>(weight) : value.loss;
      values.is_correct[r] = value.is_correct;
    }
  });
}

// The rows of a block, leaf by leaf.
void add_losses(const ReductionTree& plan, const ReductionBlock& part, const RowValues& values, TreeSum& loss,
                Index& correct) {
  for (Index i = part.first; i <= part.last; ++i) {
    const ReductionLeaf& leaf = plan.leaves[i];
    double chain = 0;
    for (Index t = leaf.begin; t < leaf.end; ++t) {
      const std::size_t r = t - part.begin;
      chain += values.loss[r];
      correct += values.is_correct[r];
    }
    loss.add(leaf, chain);
  }
}

// A block's share of dw and db, to the places `dw` and `db`. slopes: the gradient of its logits, [rows, V].
struct WeightShare {
  ConstMatrix rows, slopes;
  Matrix dw;
  Real* db;
  bool accumulate_weight, accumulate_bias;
};

void add_weight_gradient(const ReductionTree& plan, const ReductionBlock& part, const WeightShare& share,
                         bool is_transposed) {
  WeightTask task{.x = share.rows,
                  .y = share.slopes,
                  .leaves = plan.leaves.data() + part.first,
                  .leaf_count = part.last - part.first + 1,
                  .last_merges = part.inner,
                  .depth = plan.depth,
                  .c = share.dw,
                  .column_sums = share.db,
                  .accumulate = share.accumulate_weight};
  if (is_transposed) {  // dw is slopesᵀ·rows; db a product of its own, whose other factor has no columns
    WeightTask of_bias = task;
    of_bias.x = share.slopes.columns_between(0, 0);
    of_bias.c = Matrix{nullptr, 0, share.slopes.cols};
    of_bias.accumulate = share.accumulate_bias;
    if (share.db) weight_in_blocks(of_bias);
    task.x = share.slopes;
    task.y = share.rows;
    task.column_sums = nullptr;
  }
  weight_in_blocks(task);
}

}  // namespace

Index cross_entropy_block_rows(const ReductionTree& plan, Index classes) {
  Index rows = 0;
  for_each_block(plan, classes, [&](const ReductionBlock& block) { rows = std::max(rows, block.rows()); });
  return rows;
}

// A block that is merged at once is added to the sum below it and needs no place of its own.
Index cross_entropy_scratch_rows(const ReductionTree& plan, Index classes) {
  Index alive = 0, most = 0, blocks = 0;
  for_each_block(plan, classes, [&](const ReductionBlock& block) {
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
                                        CrossEntropyGradients* gradients, std::span<const Real> class_weights,
                                        Real r_drop) {
  const Index V = is_transposed ? w.rows : w.cols;
  const LossRule rule{labels, label_smoothing, loss_scale, gradients != nullptr, class_weights, r_drop};
  TreeSum loss;
  CrossEntropyTotals totals;
  totals.tokens = h.rows;
  Index level = 0;  // partial sums alive
  const bool is_one_block =
      plan.leaves.empty() || reduction_block_at(plan, 0, block_rows(V)).rows() == h.rows;
  for_each_block(plan, V, [&](const ReductionBlock& part) {
    const Matrix logits{block.data, part.rows(), V, block.stride};
    const ConstMatrix rows = h.rows_between(part.begin, part.end);
    multiply_in_blocks(
        {.a = rows, .b = w, .is_transposed = is_transposed, .c = logits, .epilogue = {.bias = bias}});
    RowValues values;
    losses_of_rows(logits, part.begin, rule, values);
    add_losses(plan, part, values, loss, totals.correct);
    if (!gradients) return;
    multiply_in_blocks({.a = logits,
                        .b = w,
                        .is_transposed = !is_transposed,
                        .c = gradients->dh.rows_between(part.begin, part.end)});
    const PartialSums sums(*gradients, V, is_one_block);
    const auto is_added = [&](bool accumulate) { return part.outer > 0 || (is_one_block && accumulate); };
    const Index place = is_one_block ? 0 : part.outer > 0 ? level - 1 : level;
    add_weight_gradient(plan, part,
                        {rows, logits, sums.dw(place), sums.db(place), is_added(gradients->accumulate_weight),
                         is_added(gradients->accumulate_bias)},
                        is_transposed);
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

// Softmax and its relatives, by blocks of rows.
void softmax(ConstMatrix x, Matrix y) {
  const SoftmaxTable& table = *kernel_table().softmax;
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) table.softmax(x.cols, x.row(r), y.row(r));
  });
}

void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx, bool accumulate) {
  const SoftmaxTable& table = *kernel_table().softmax;
  for_each_row_block(y.rows, y.cols, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) table.backward(y.cols, y.row(r), dy.row(r), dx.row(r), accumulate);
  });
}

void log_sum_exp(ConstMatrix x, Real* y) {
  const SoftmaxTable& table = *kernel_table().softmax;
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) y[r] = table.log_sum_exp(x.cols, x.row(r));
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
