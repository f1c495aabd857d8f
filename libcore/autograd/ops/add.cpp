#include "autograd/ops.hpp"

namespace headwater::ops {

Variable add(Tape& tape, const Variable& a, const Variable& b, Use use_of_b) {
  const Variable y = tape.variable_like(b, use_of_b, a.needs_gradient() || b.needs_gradient());
  kernels::add(a.value(), b.value(), y.value());
  tape.record("add", y, [&tape, a, b, use_of_b](Matrix dy) { tape.accumulate(a, b, use_of_b, dy); });
  return y;
}

}  // namespace headwater::ops
