// Softmax and cross-entropy. T tokens of the packed batch, D model width, V vocabulary.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/matrix.hpp"
#include "tensor/reduction_tree.hpp"

namespace headwater::kernels {

// y[row] = softmax(x[row]); may alias.
void softmax(ConstMatrix x, Matrix y);
// dx (+)= y * (dy - sum(dy * y))
void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx, bool accumulate);
// log(sum(exp(row))) of each row.
void log_sum_exp(ConstMatrix x, Real* y);

struct CrossEntropyTotals {
  // Sum over tokens of -log p(label), natural logarithm (with smoothing as asked for), reduced by the plan.
  double loss = 0;
  Index correct = 0;  // tokens whose largest logit is the label's (first of equals)
  Index tokens = 0;
};
// logits = h·w + bias; loss = Σ_t cross_entropy(logits[t], labels[t]) in blocks of rows: h [T, D], w [D, V]
// (is_transposed: w [V, D]). With `class_weights` [V] each row's loss counts so many times as its label's
// says. With `r_drop`, not with class weights, rows 2i and 2i + 1 are one token under different dropout, and
// each such two add r_drop · (KL(p || q) + KL(q || p)) / 2 of their distributions p and q to the loss
// (R-Drop, Liang et al. 2021, eq. 4). With `dh` given also the gradients of loss_scale · loss: dh
// overwritten, dw and db (+)= by the plan, both alike unless is_transposed. One block of logits lives in
// `block` (cross_entropy_block_rows(plan, V) rows of V values).
struct CrossEntropyGradients {
  Matrix dh;
  Matrix dw;
  Real* db = nullptr;
  bool accumulate_weight = false, accumulate_bias = false;
  Matrix reduction_scratch;  // cross_entropy_scratch_rows(plan, V) x (D·V + V); may be empty where that is 0
};
Index cross_entropy_block_rows(const ReductionTree& plan, Index classes);
Index cross_entropy_scratch_rows(const ReductionTree& plan, Index classes);
CrossEntropyTotals linear_cross_entropy(ConstMatrix h, ConstMatrix w, bool is_transposed, const Real* bias,
                                        std::span<const std::int32_t> labels, Real label_smoothing,
                                        Real loss_scale, const ReductionTree& plan, Matrix block,
                                        CrossEntropyGradients* gradients,
                                        std::span<const Real> class_weights = {}, Real r_drop = 0);

}  // namespace headwater::kernels
