#include "autograd/ops.hpp"

namespace headwater::ops {

Variable repeat_heads(Tape& tape, const Variable& x, Index heads) {
  const auto columns_of = [](auto all, Index head, Index width) {
    return decltype(all)(all.data + head * width, all.rows, width, all.stride);
  };
  const Variable y = tape.variable(x.rows(), heads * x.cols(), x.packing_or_null(), x.needs_gradient());
  for (Index h = 0; h < heads; ++h) kernels::scale(x.value(), 1, columns_of(y.value(), h, x.cols()), false);
  tape.record("repeat_heads", y, [&tape, x, heads, columns_of](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    for (Index h = 0; h < heads; ++h)
      kernels::scale(columns_of(dy, h, x.cols()), 1, dx.matrix, dx.accumulate || h > 0);
  });
  return y;
}

}  // namespace headwater::ops
