#include "autograd/ops.hpp"
#include "autograd/ops/table_gradient.hpp"

namespace headwater::ops {

Variable sparse_linear(Tape& tape, const SparseRows& x, const Packing& rows, Parameter& w, Parameter& b,
                       Activation activation) {
  const Variable y = tape.variable(rows.tokens(), w.value.cols, &rows, true);
  kernels::sparse_linear(x.ids, x.values, x.entries->offsets, w.value, b.value.data, y.value());
  if (activation != Activation::none) kernels::activate(activation, y.value(), y.value());
  tape.record("sparse_linear", y, {activation, y.value()}, [=, &tape, &rows, &w, &b](ConstMatrix dy) {
    // db = Σ_s dy[s]: the gradient of a product whose other factor has no columns.
    const GradientSlot db = Tape::slot(b);
    kernels::linear_backward_weight(ConstMatrix(dy.data, dy.rows, 0, dy.stride), dy, *rows.plan,
                                    Matrix(nullptr, 0, dy.cols), db.matrix.data, db.accumulate);
    const Matrix entries = tape.temporary(x.entries->tokens(), dy.cols);
    kernels::sparse_linear_backward(x.values, x.entries->offsets, dy, entries);
    add_table_gradient(tape, x.ids, entries, 1, *x.entries->plan, w);
  });
  return y;
}

}  // namespace headwater::ops
