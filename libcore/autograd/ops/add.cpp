#include "autograd/ops.hpp"

namespace headwater::ops {

Variable add(Tape& tape, const Variable& a, const Variable& b) {
  const Variable y =
      tape.variable(a.rows(), a.cols(), a.packing_or_null(), a.needs_gradient() || b.needs_gradient());
  kernels::add(a.value(), b.value(), y.value());
  tape.record("add", [&tape, a, b, y] {
    if (!Tape::has_incoming(y)) return;
    for (const Variable& input : {a, b}) {
      if (!input.needs_gradient()) continue;
      const GradientSlot d = tape.slot(input);
      if (d.accumulate) {
        kernels::accumulate(tape.incoming(y), d.matrix);
      } else {
        kernels::copy(tape.incoming(y), d.matrix);
      }
    }
  });
  return y;
}

}  // namespace headwater::ops
