#include <numeric>

#include "autograd/ops.hpp"

namespace headwater::ops {

namespace {

// The output layer and what is asked of it: w [D, V], or [V, D] if transposed.
struct OutputLayer {
  const Parameter& w;
  bool is_transposed;
  const Parameter* b;
  std::span<const std::int32_t> labels;
  Real label_smoothing, loss_scale;
  std::span<const Real> class_weights{};
  Real r_drop = 0;
  Index classes() const { return is_transposed ? w.value.rows : w.value.cols; }
};

kernels::CrossEntropyTotals run(Tape& tape, const Variable& x, const OutputLayer& layer,
                                kernels::CrossEntropyGradients* gradients) {
  const ReductionTree& plan = *x.packing().plan;
  const Index classes = layer.classes();
  const ArenaScope scope(tape.arena());  // the block of logits and the partial sums go back at once
  const Matrix block = tape.arena().matrix(kernels::cross_entropy_block_rows(plan, classes), classes);
  const Index scratch_rows = gradients ? kernels::cross_entropy_scratch_rows(plan, classes) : 0;
  if (scratch_rows > 0)
    gradients->reduction_scratch = tape.arena().matrix(scratch_rows, x.cols() * classes + classes);
  return kernels::linear_cross_entropy(
      x.value(), layer.w.value, layer.is_transposed, layer.b ? layer.b->value.data : nullptr, layer.labels,
      layer.label_smoothing, layer.loss_scale, plan, block, gradients, layer.class_weights, layer.r_drop);
}

}  // namespace

kernels::CrossEntropyTotals linear_cross_entropy(Tape& tape, const Variable& x, Parameter& w, Parameter* b,
                                                 std::span<const std::int32_t> labels, Real label_smoothing,
                                                 Real loss_scale, std::span<const Real> class_weights,
                                                 Real r_drop) {
  const OutputLayer layer{w, false, b, labels, label_smoothing, loss_scale, class_weights, r_drop};
  if (!tape.is_recording()) return run(tape, x, layer, nullptr);
  kernels::CrossEntropyGradients gradients;
  gradients.dh = tape.arena().matrix(x.rows(), x.cols());
  const Tape::PairSlot d = Tape::slot(w, b);
  gradients.dw = d.weight;
  gradients.db = d.bias;
  gradients.accumulate_weight = gradients.accumulate_bias = d.accumulate;
  const kernels::CrossEntropyTotals totals = run(tape, x, layer, &gradients);
  tape.record("linear_cross_entropy", [&tape, x, dh = gradients.dh] { tape.accumulate(x, dh); });
  return totals;
}

kernels::CrossEntropyTotals linear_transposed_cross_entropy(Tape& tape, const Variable& x, Parameter& w,
                                                            Parameter* b,
                                                            std::span<const std::int32_t> labels,
                                                            Real label_smoothing, Real loss_scale,
                                                            Real r_drop) {
  const OutputLayer layer{w, true, b, labels, label_smoothing, loss_scale, {}, r_drop};
  if (!tape.is_recording()) return run(tape, x, layer, nullptr);
  kernels::CrossEntropyGradients gradients;
  gradients.dh = tape.arena().matrix(x.rows(), x.cols());
  const GradientSlot dw = Tape::slot(w), db = b ? Tape::slot(*b) : GradientSlot{};
  gradients.dw = dw.matrix;
  gradients.db = db.matrix.data;
  gradients.accumulate_weight = dw.accumulate;
  gradients.accumulate_bias = db.accumulate;
  const kernels::CrossEntropyTotals totals = run(tape, x, layer, &gradients);
  tape.record("linear_transposed_cross_entropy", [&tape, x, dh = gradients.dh] { tape.accumulate(x, dh); });
  return totals;
}

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
      const bool is_positive = labels[s] == 1;
      exponents.row(s)[0] = 0;
      exponents.row(s)[1] = is_positive ? -logit : logit;
      if ((logit > 0) == is_positive) ++totals.correct;
    }
    kernels::log_sum_exp(exponents, losses.data);
    for (Index s = 0; s < rows && !class_weights.empty(); ++s) losses.data[s] *= class_weights[labels[s]];
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
  for (Index s = 0; s < rows; ++s) dz.row(s)[0] = loss_scale * (dz.row(s)[0] - static_cast<Real>(labels[s]));
  for (Index s = 0; s < rows && !class_weights.empty(); ++s) dz.row(s)[0] *= class_weights[labels[s]];
  tape.record("binary_cross_entropy", [&tape, z, dz] { tape.accumulate(z, dz); });
  return totals;
}

}  // namespace headwater::ops
