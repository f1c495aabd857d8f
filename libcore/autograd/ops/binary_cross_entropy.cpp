#include <numeric>

#include "autograd/ops.hpp"

namespace headwater::ops {

kernels::CrossEntropyTotals binary_cross_entropy(Tape& tape, const Variable& z,
                                                 std::span<const std::int32_t> labels, Real loss_scale,
                                                 std::span<const Real> class_weights) {
  const Index rows = z.rows();
  kernels::CrossEntropyTotals totals;
  {
    // -log(sigmoid(z)) = log(e^0 + e^-z), -log(1 - sigmoid(z)) = log(e^0 + e^z).
    const ArenaScope scope(tape.arena());
    const Matrix exponents = tape.arena().matrix(rows, 2), losses = tape.arena().matrix(1, rows);
    for (Index s = 0; s < rows; ++s) {
      const Real logit = z.value().row(s)[0];
      const bool is_positive = labels[static_cast<std::size_t>(s)] == 1;
      exponents.row(s)[0] = 0;
      exponents.row(s)[1] = is_positive ? -logit : logit;
      if ((logit > 0) == is_positive) ++totals.correct;
    }
    kernels::log_sum_exp(exponents, losses.data);
    for (Index s = 0; s < rows && !class_weights.empty(); ++s)
      losses.data[s] *= class_weights[static_cast<std::size_t>(labels[static_cast<std::size_t>(s)])];
    TreeSum sum;
    for (const ReductionLeaf& leaf : z.packing().plan->leaves)
      sum.add(leaf, std::accumulate(losses.data + leaf.begin, losses.data + leaf.end, 0.0));
    totals.loss = sum.total();
    totals.tokens = rows;
  }
  if (!tape.is_recording() || !z.needs_gradient()) return totals;
  // d loss/dz = sigmoid(z) - label
  const Matrix dz = tape.arena().matrix(rows, 1);
  kernels::activate(Activation::sigmoid, z.value(), dz);
  for (Index s = 0; s < rows; ++s)
    dz.row(s)[0] = loss_scale * (dz.row(s)[0] - static_cast<Real>(labels[static_cast<std::size_t>(s)]));
  for (Index s = 0; s < rows && !class_weights.empty(); ++s)
    dz.row(s)[0] *= class_weights[static_cast<std::size_t>(labels[static_cast<std::size_t>(s)])];
  tape.record("binary_cross_entropy", [&tape, z, dz] { tape.accumulate(z, dz); });
  return totals;
}

}  // namespace headwater::ops
