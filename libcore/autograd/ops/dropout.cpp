#include "autograd/ops.hpp"

namespace headwater::ops {

Variable dropout(Tape& tape, const Variable& x, Real rate, const RandomStream& stream) {
  if (rate <= 0 || !tape.is_recording()) return x;
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), x.needs_gradient());
  kernels::dropout(x.value(), rate, stream, 0, y.value(), false);
  tape.record("dropout", [&tape, x, y, rate, stream] {
    if (!Tape::has_incoming(y) || !x.needs_gradient()) return;
    const GradientSlot dx = tape.slot(x);
    kernels::dropout(tape.incoming(y), rate, stream, 0, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
