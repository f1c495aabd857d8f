#include "autograd/ops.hpp"

namespace headwater::ops {

Variable linear(Tape& tape, const Variable& x, Parameter& w, Parameter* b, Activation activation,
                Use use_of_x) {
  const Variable y = tape.variable(x.rows(), w.value.cols, x.packing_or_null(), true);
  const bool keeps_slope = tape.is_recording() && kernels::keeps_slope(activation);
  // Others are undone by the value of y.
  if (keeps_slope || activation == Activation::none) Tape::mark_donated(y);
  if (activation == Activation::none) Tape::mark_only_reads_gradient(y);
  const Matrix slope = keeps_slope ? tape.arena().matrix(y.rows(), y.cols()) : Matrix();
  kernels::linear(x.value(), w.value, b ? b->value.data : nullptr, activation, y.value(), slope);
  if (activation != Activation::none) Tape::mark_activated(y, {activation, keeps_slope ? slope : y.value()});
  tape.record("linear", [&tape, x, y, slope, activation, use_of_x, weight = &w, bias = b] {
    if (!Tape::has_incoming(y)) return;
    const Matrix& dy = tape.incoming(y);
    // The activation is undone in place: y's gradient has no other reader. Where the slope is kept, y is not
    // read: its memory may be another's by now.
    if (activation != Activation::none && !Tape::is_undone(y))
      kernels::activation_backward(activation, slope ? slope : y.value(), dy, dy);
    const Tape::PairSlot d = Tape::slot(*weight, bias);
    const kernels::LinearGradient gradient{dy, weight->value, d.weight, d.bias, d.accumulate};
    const GradientSlot dx = x.needs_gradient() ? tape.slot(x) : GradientSlot{};
    const bool is_whole = use_of_x == Use::donate && x.needs_gradient() && !dx.accumulate;
    kernels::linear_backward(x.value(), {&gradient, 1}, *x.packing().plan, dx.matrix, dx.accumulate,
                             is_whole ? Tape::undo(x) : kernels::UndoneActivation{});
  });
  return y;
}

}  // namespace headwater::ops
