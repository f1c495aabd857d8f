#include "autograd/ops.hpp"

namespace headwater::ops {

Variable pool(Tape& tape, const Variable& x, Pooling pooling, const Packing& rows) {
  const std::span<const Index> offsets = x.packing().offsets;
  const Variable y = tape.variable(rows.tokens(), x.cols(), &rows, x.needs_gradient());
  const bool keeps_winners = tape.is_recording() && pooling == Pooling::max;
  std::int32_t* const winners =
      keeps_winners ? tape.arena().allocate_array<std::int32_t>(y.rows() * y.cols()) : nullptr;
  kernels::pool(pooling, x.value(), offsets, y.value(), winners);
  tape.record("pool", y, [&tape, x, offsets, pooling, winners](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    kernels::pool_backward(pooling, dy, offsets, winners, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
