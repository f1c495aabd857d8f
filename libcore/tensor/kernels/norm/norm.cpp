// Norms: rows in blocks, parameter gradients in blocks of columns.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/norm/norm.hpp"

#include "support/parallel.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/reduction_blocks.hpp"
#include "tensor/kernels/row_blocks.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

void norm(ConstMatrix x, ConstMatrix residual, const NormRule& rule, Matrix sum, Matrix y, Matrix moments) {
  const NormTable& table = *kernel_table().norm;
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    const auto part = [&](const auto& m) { return m ? m.rows_between(begin, end) : m; };
    table.forward(rule, part(x), part(residual), {part(sum), part(y), part(moments)});
  });
}

void norm_backward(ConstMatrix x, ConstMatrix moments, const NormRule& rule, ConstMatrix dy,
                   const ReductionTree& plan, Matrix dx, bool accumulate_dx, const NormGradients& to) {
  const NormTable& table = *kernel_table().norm;
  check_depth(plan);
  // Many tokens: subtrees of the reduction, so that both gradients come from one pass over memory.
  const ReductionParts parts = reduce_parts(plan, 8, 256);
  if (parts.count > 1) {
    const Index width = padded_width(x.cols);
    const SharedScratch sums(parts.count * 2 * width);
    parallel_for(parts.count, [&](Index part) {
      const ReductionBlock& block = parts.block[part];
      table.backward({x, moments, rule, dy, dx, accumulate_dx},
                     {plan.leaves.data() + block.first, block.last - block.first + 1}, block.inner,
                     thread_scratch((plan.depth + 1) * 2 * width), sums.data() + part * 2 * width);
    });
    const auto reduce = [&](Index first, Real* gradient) {
      kernel_table().gemm->reduce({sums.data() + first, 2 * width, parts.count, parts.merges.data(), gradient,
                                   x.cols, to.accumulate});
    };
    reduce(0, to.dgamma);
    if (to.dbeta) reduce(width, to.dbeta);
    return;
  }
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    table.backward_input({x.rows_between(begin, end), moments.rows_between(begin, end), rule,
                          dy.rows_between(begin, end), dx.rows_between(begin, end), accumulate_dx});
  });
  const Leaves leaves{plan.leaves.data(), static_cast<Index>(plan.leaves.size())};
  parallel_for((x.cols + kNormColumns - 1) / kNormColumns, [&](Index block) {
    table.backward_parameters(x, moments, dy, leaves, block * kNormColumns, to);
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
