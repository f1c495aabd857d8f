#include "autograd/ops.hpp"

namespace headwater::ops {

Variable scale(Tape& tape, const Variable& x, Real factor, Use use_of_x) {
  const Variable y = tape.variable_like(x, use_of_x, x.needs_gradient());
  Tape::mark_donated(y);
  kernels::scale(x.value(), factor, y.value(), false);
  tape.record("scale", [&tape, x, y, factor] {
    if (!Tape::has_incoming(y) || !x.needs_gradient()) return;
    const GradientSlot dx = tape.slot(x);
    kernels::scale(tape.incoming(y), factor, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
