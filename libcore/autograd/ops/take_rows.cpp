#include "autograd/ops.hpp"

namespace headwater::ops {

Variable take_rows(Tape& tape, const Variable& x, std::span<const std::int32_t> rows,
                   const Packing& packing) {
  const Variable y = tape.variable(packing.tokens(), x.cols(), &packing, x.needs_gradient());
  kernels::take_rows(x.value(), rows, y.value());
  tape.record("take_rows", y, [&tape, x, rows](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    kernels::take_rows_backward(dy, rows, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
