#include "autograd/ops.hpp"

namespace headwater::ops {

kernels::CrossEntropyTotals linear_cross_entropy(Tape& tape, const Variable& x, Parameter& w, Parameter* b,
                                                 std::span<const std::int32_t> labels, Real label_smoothing,
                                                 Real loss_scale) {
  const FoldPlan& plan = *x.packing().plan;
  Arena& arena = tape.arena();
  const Real* bias = b ? b->value.data : nullptr;
  const Index width = x.cols(), classes = w.value.cols;
  if (!tape.is_recording()) {
    const ArenaScope scope(arena);
    const Matrix block = arena.matrix(kernels::cross_entropy_block_rows(plan), classes);
    return kernels::linear_cross_entropy(x.value(), w.value, false, bias, labels, label_smoothing, loss_scale,
                                         plan, block, nullptr);
  }
  kernels::CrossEntropyGradients gradients;
  gradients.dh = arena.matrix(x.rows(), width);
  const Tape::PairSlot d = Tape::slot(w, b);
  gradients.dw = d.weight;
  gradients.accumulate_parameters = d.accumulate;
  gradients.db = d.bias;
  kernels::CrossEntropyTotals totals;
  {
    const ArenaScope scope(arena);  // the block of logits and the partial sums go back at once
    const Matrix block = arena.matrix(kernels::cross_entropy_block_rows(plan), classes);
    const Index scratch_rows = kernels::cross_entropy_scratch_rows(plan);
    if (scratch_rows > 0) gradients.fold_scratch = arena.matrix(scratch_rows, width * classes + classes);
    totals = kernels::linear_cross_entropy(x.value(), w.value, false, bias, labels, label_smoothing,
                                           loss_scale, plan, block, &gradients);
  }
  tape.record("linear_cross_entropy", [&tape, x, dh = gradients.dh] { tape.give(x, dh); });
  return totals;
}

}  // namespace headwater::ops
