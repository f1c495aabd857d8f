#include "autograd/ops.hpp"

namespace headwater::ops {

Variable linear_transposed(Tape& tape, const Variable& x, Parameter& w, Parameter* b) {
  const Variable y = tape.variable(x.rows(), w.value.rows, x.packing_or_null(), true);
  Tape::mark_donated(y);
  kernels::linear_transposed(x.value(), w.value, b ? b->value.data : nullptr, y.value());
  tape.record("linear_transposed", [&tape, x, y, weight = &w, bias = b] {
    if (!Tape::has_incoming(y)) return;
    const Matrix& dy = tape.incoming(y);
    const ReductionTree& plan = *x.packing().plan;
    // dw = Σ_t dy[t]ᵀ x[t]
    const GradientSlot dw = Tape::slot(*weight);
    kernels::linear_backward_weight(dy, x.value(), plan, dw.matrix, nullptr, dw.accumulate);
    if (bias != nullptr) {
      // db = Σ_t dy[t]: the gradient of a product whose other factor has no columns.
      const GradientSlot db = Tape::slot(*bias);
      kernels::linear_backward_weight(ConstMatrix(dy.data, dy.rows, 0, dy.stride), dy, plan,
                                      Matrix(nullptr, 0, dy.cols), db.matrix.data, db.accumulate);
    }
    if (!x.needs_gradient()) return;
    // dx = dy·w
    const GradientSlot dx = tape.slot(x);
    const Matrix to = dx.accumulate ? tape.temporary(x.rows(), x.cols()) : dx.matrix;
    kernels::linear(dy, weight->value, nullptr, Activation::none, to);
    if (dx.accumulate) kernels::accumulate(to, dx.matrix);
  });
  return y;
}

}  // namespace headwater::ops
