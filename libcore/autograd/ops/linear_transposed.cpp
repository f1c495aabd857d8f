#include "autograd/ops.hpp"

namespace headwater::ops {

Variable linear_transposed(Tape& tape, const Variable& x, Parameter& w, Parameter* b) {
  const Variable y = tape.variable(x.rows(), w.value.rows, x.packing_or_null(), true);
  kernels::linear_transposed(x.value(), w.value, b ? b->value.data : nullptr, y.value());
  tape.record("linear_transposed", y, [=, &tape, &w](ConstMatrix dy) {
    const ReductionTree& plan = *x.packing().plan;
    // dw = Σ_t dy[t]ᵀ x[t]
    const GradientSlot dw = Tape::slot(w);
    kernels::linear_backward_weight(dy, x.value(), plan, dw.matrix, nullptr, dw.accumulate);
    if (b != nullptr) {
      // db = Σ_t dy[t]: the gradient of a product whose other factor has no columns.
      const GradientSlot db = Tape::slot(*b);
      kernels::linear_backward_weight(ConstMatrix(dy.data, dy.rows, 0, dy.stride), dy, plan,
                                      Matrix(nullptr, 0, dy.cols), db.matrix.data, db.accumulate);
    }
    if (!x.needs_gradient()) return;
    // dx = dy·w
    kernels::linear(dy, w.value, nullptr, Activation::none, tape.overwritten(x));
  });
  return y;
}

}  // namespace headwater::ops
