#include "autograd/ops.hpp"

namespace headwater::ops {

Variable pool(Tape& tape, const Variable& x, Pooling pooling, const Packing& rows) {
  const std::span<const Index> offsets = x.packing().offsets;
  const Variable y = tape.variable(rows.tokens(), x.cols(), &rows, x.needs_gradient());
  Tape::mark_donated(y);
  const bool keeps_winners = tape.is_recording() && pooling == Pooling::max;
  std::int32_t* const winners =
      keeps_winners ? tape.arena().allocate_array<std::int32_t>(y.rows() * y.cols()) : nullptr;
  kernels::pool(pooling, x.value(), offsets, y.value(), winners);
  tape.record("pool", [&tape, x, y, offsets, pooling, winners] {
    if (!Tape::has_incoming(y) || !x.needs_gradient()) return;
    const GradientSlot dx = tape.slot(x);
    kernels::pool_backward(pooling, tape.incoming(y), offsets, winners, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
