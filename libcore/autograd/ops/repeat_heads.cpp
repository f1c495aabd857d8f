#include "autograd/ops.hpp"

namespace headwater::ops {

Variable repeat_heads(Tape& tape, const Variable& x, Index heads) {
  const auto columns_of = [](const Matrix& all, Index head, Index width) {
    return Matrix(all.data + head * width, all.rows, width, all.stride);
  };
  const Variable y = tape.variable(x.rows(), heads * x.cols(), x.packing_or_null(), x.needs_gradient());
  Tape::mark_donated(y);
  for (Index h = 0; h < heads; ++h) kernels::scale(x.value(), 1, columns_of(y.value(), h, x.cols()), false);
  tape.record("repeat_heads", [&tape, x, y, heads, columns_of] {
    if (!Tape::has_incoming(y) || !x.needs_gradient()) return;
    const GradientSlot dx = tape.slot(x);
    for (Index h = 0; h < heads; ++h)
      kernels::scale(columns_of(tape.incoming(y), h, x.cols()), 1, dx.matrix, dx.accumulate || h > 0);
  });
  return y;
}

}  // namespace headwater::ops
