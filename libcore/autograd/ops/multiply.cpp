#include "autograd/ops.hpp"

namespace headwater::ops {

Variable multiply(Tape& tape, const Variable& a, const Variable& b) {
  const Variable y =
      tape.variable(a.rows(), a.cols(), a.packing_or_null(), a.needs_gradient() || b.needs_gradient());
  kernels::multiply(a.value(), b.value(), y.value());
  tape.record("multiply", y, [&tape, a, b](ConstMatrix dy) {
    if (a.needs_gradient()) kernels::multiply(dy, b.value(), tape.overwritten(a));
    if (b.needs_gradient()) kernels::multiply(dy, a.value(), tape.overwritten(b));
  });
  return y;
}

}  // namespace headwater::ops
