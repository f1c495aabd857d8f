#include "autograd/ops.hpp"

namespace headwater::ops {

Variable linear(Tape& tape, const Variable& x, Parameter& w, Parameter* b, Activation activation,
                Use use_of_x) {
  const Variable y = tape.variable(x.rows(), w.value.cols, x.packing_or_null(), true);
  const bool keeps_slope = tape.is_recording() && kernels::keeps_slope(activation);
  const Matrix slope = keeps_slope ? tape.arena().matrix(y.rows(), y.cols()) : Matrix();
  kernels::linear(x.value(), w.value, b ? b->value.data : nullptr, activation, y.value(), slope);
  const kernels::UndoneActivation last{activation, keeps_slope ? slope : y.value()};
  tape.record("linear", y, last, [=, &tape, &w](ConstMatrix dy) {
    const Tape::PairSlot d = Tape::slot(w, b);
    const kernels::LinearGradient gradient{dy, w.value, d.weight, d.bias, d.accumulate};
    const GradientSlot dx = x.needs_gradient() ? tape.slot(x, use_of_x) : GradientSlot{};
    kernels::linear_backward(x.value(), {&gradient, 1}, *x.packing().plan, dx.matrix, dx.accumulate,
                             dx.undone);
  });
  return y;
}

}  // namespace headwater::ops
