#include "autograd/ops.hpp"

namespace headwater::ops {

Variable linear(Tape& tape, const Variable& x, Parameter& w, Parameter* b, Activation activation) {
  const Variable y = tape.variable(x.rows(), w.value.cols, x.packing_or_null(), true);
  const bool keeps_slope = tape.is_recording() && kernels::keeps_slope(activation);
  // Others are undone by the value of y.
  if (keeps_slope || activation == Activation::none) Tape::mark_donated(y);
  const Matrix slope = keeps_slope ? tape.arena().matrix(y.rows(), y.cols()) : Matrix();
  kernels::linear(x.value(), w.value, b ? b->value.data : nullptr, activation, y.value(), slope);
  tape.record("linear", [&tape, x, y, slope, activation, weight = &w, bias = b] {
    if (!Tape::has_incoming(y)) return;
    const Matrix& dy = tape.incoming(y);
    // The activation is undone in place: y's gradient has no other reader. Where the slope is kept, y is not
    // read: its memory may be another's by now.
    if (activation != Activation::none)
      kernels::activation_backward(activation, slope ? slope : y.value(), dy, dy);
    const Tape::PairSlot d = Tape::slot(*weight, bias);
    const kernels::LinearGradient gradient{dy, weight->value, d.weight, d.bias, d.accumulate};
    const GradientSlot dx = x.needs_gradient() ? tape.slot(x) : GradientSlot{};
    kernels::linear_backward(x.value(), {&gradient, 1}, *x.packing().plan, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
