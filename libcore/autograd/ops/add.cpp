#include "autograd/ops.hpp"

namespace headwater::ops {

Variable add(Tape& tape, const Variable& a, const Variable& b, Use use_of_b) {
  const Variable y = tape.variable_like(b, use_of_b, a.needs_gradient() || b.needs_gradient());
  Tape::mark_donated(y);
  kernels::add(a.value(), b.value(), y.value());
  tape.record("add", [&tape, a, b, y, use_of_b] {
    if (!Tape::has_incoming(y)) return;
    const Matrix dy = tape.incoming(y);
    if (Tape::share_gradient(a, b, use_of_b)) return tape.accumulate(b, dy);
    if (b.needs_gradient()) {
      const GradientSlot db = tape.slot(b);
      if (db.accumulate) {
        kernels::accumulate(dy, db.matrix);
      } else {
        kernels::copy(dy, db.matrix);
      }
    }
    if (a.needs_gradient()) tape.accumulate(a, dy);
  });
  return y;
}

}  // namespace headwater::ops
