#include "autograd/ops.hpp"

namespace headwater::ops {

Variable fourier_mix(Tape& tape, const Variable& x) {
  const std::span<const Index> offsets = x.packing().offsets;
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), x.needs_gradient());
  Tape::mark_donated(y);
  kernels::fourier_mix(x.value(), offsets, y.value(), false);
  tape.record("fourier_mix", [&tape, x, y, offsets] {
    if (!Tape::has_incoming(y) || !x.needs_gradient()) return;
    // The transform is symmetric: dx = Re(F_n dy F_D).
    const GradientSlot dx = tape.slot(x);
    kernels::fourier_mix(tape.incoming(y), offsets, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
