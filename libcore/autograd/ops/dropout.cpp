#include "autograd/ops.hpp"

namespace headwater::ops {

Variable dropout(Tape& tape, const Variable& x, Real rate, const RandomStream& stream, Use use_of_x) {
  if (rate <= 0 || !tape.is_recording()) return x;
  const Variable y = tape.variable_like(x, use_of_x, x.needs_gradient());
  Tape::mark_spare(y);
  kernels::dropout(x.value(), rate, stream, 0, y.value(), false);
  tape.record("dropout", [&tape, x, y, rate, stream] {
    if (!Tape::has_incoming(y) || !x.needs_gradient()) return;
    const Matrix& dy = tape.incoming(y);
    if (Tape::has_incoming(x)) {
      kernels::dropout(dy, rate, stream, 0, tape.slot(x).matrix, true);
    } else {
      kernels::dropout(dy, rate, stream, 0, dy, false);
      tape.give(x, dy);
    }
  });
  return y;
}

}  // namespace headwater::ops
