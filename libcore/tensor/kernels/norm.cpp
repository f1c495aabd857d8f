// Layer norm: rows in blocks, parameter gradients in blocks of columns.
#ifndef HEADWATER_DOUBLE

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/row_tables.hpp"

namespace headwater::kernels {

void layer_norm(ConstMatrix x, ConstMatrix residual, const Real* gamma, const Real* beta, Real epsilon,
                Matrix sum, Matrix y, Matrix moments) {
  const NormTable& table = norm_table();
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    const auto part = [&](const auto& m) { return m ? m.rows_between(begin, end) : m; };
    table.forward({gamma, beta, epsilon}, part(x), part(residual), {part(sum), part(y), part(moments)});
  });
}

void layer_norm_backward(ConstMatrix x, ConstMatrix moments, const Real* gamma, ConstMatrix dy,
                         const FoldPlan& plan, Matrix dx, bool accumulate_dx, Real* dgamma, Real* dbeta,
                         bool accumulate_parameters) {
  const NormTable& table = norm_table();
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    table.backward_input(x.rows_between(begin, end), moments.rows_between(begin, end), gamma,
                         dy.rows_between(begin, end), dx.rows_between(begin, end), accumulate_dx);
  });
  check_depth(plan);
  const Leaves leaves{plan.leaves.data(), static_cast<Index>(plan.leaves.size())};
  parallel_for((x.cols + kNormColumns - 1) / kNormColumns, [&](Index block) {
    table.backward_parameters(x, moments, dy, leaves, block * kNormColumns,
                              {dgamma, dbeta, accumulate_parameters});
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
