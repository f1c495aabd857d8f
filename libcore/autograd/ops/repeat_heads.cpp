// Repeating for each head, and the mean of the heads: each is the transpose of the other, but for the factor.
#include "autograd/ops.hpp"

namespace headwater::ops {

namespace {

Matrix columns_of_head(const Matrix& all, Index head, Index width) {
  return {all.data + head * width, all.rows, width, all.stride};
}

void add_heads(const Matrix& all, Index heads, Real factor, const Matrix& sum, bool accumulate) {
  for (Index h = 0; h < heads; ++h)
    kernels::scale(columns_of_head(all, h, sum.cols), factor, sum, accumulate || h > 0);
}

void give_each_head(const Matrix& x, Index heads, Real factor, const Matrix& all, bool accumulate) {
  for (Index h = 0; h < heads; ++h) kernels::scale(x, factor, columns_of_head(all, h, x.cols), accumulate);
}

}  // namespace

Variable repeat_heads(Tape& tape, const Variable& x, Index heads) {
  const Variable y = tape.variable(x.rows(), heads * x.cols(), x.packing_or_null(), x.needs_gradient());
  Tape::mark_donated(y);
  give_each_head(x.value(), heads, 1, y.value(), false);
  tape.record("repeat_heads", [&tape, x, y, heads] {
    if (!Tape::has_incoming(y) || !x.needs_gradient()) return;
    const GradientSlot dx = tape.slot(x);
    add_heads(tape.incoming(y), heads, 1, dx.matrix, dx.accumulate);
  });
  return y;
}

Variable mean_heads(Tape& tape, const Variable& x, Index heads) {
  const Real share = Real(1) / static_cast<Real>(heads);
  const Variable y = tape.variable(x.rows(), x.cols() / heads, x.packing_or_null(), x.needs_gradient());
  Tape::mark_donated(y);
  add_heads(x.value(), heads, share, y.value(), false);
  tape.record("mean_heads", [&tape, x, y, heads, share] {
    if (!Tape::has_incoming(y) || !x.needs_gradient()) return;
    const GradientSlot dx = tape.slot(x);
    give_each_head(tape.incoming(y), heads, share, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
