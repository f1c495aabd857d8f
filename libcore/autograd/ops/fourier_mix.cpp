#include "autograd/ops.hpp"

namespace headwater::ops {

Variable fourier_mix(Tape& tape, const Variable& x) {
  const std::span<const Index> offsets = x.packing().offsets;
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), x.needs_gradient());
  kernels::fourier_mix(x.value(), offsets, y.value(), false);
  tape.record("fourier_mix", y, [&tape, x, offsets](ConstMatrix dy) {
    // The transform is symmetric: dx = Re(F_n dy F_D).
    const GradientSlot dx = tape.slot(x);
    kernels::fourier_mix(dy, offsets, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
