#include "autograd/ops.hpp"

namespace headwater::ops {

Variable scale(Tape& tape, const Variable& x, Real factor, Use use_of_x) {
  const Variable y = tape.variable_like(x, use_of_x, x.needs_gradient());
  kernels::scale(x.value(), factor, y.value(), false);
  tape.record("scale", y, [&tape, x, factor](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    kernels::scale(dy, factor, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
