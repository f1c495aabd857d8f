#include <algorithm>

#include "autograd/ops.hpp"

namespace headwater::ops {

namespace {

// Calls f(rows of the shorter sequence in x, its rows in y after the token) for each sequence.
template <class X, class Y, class F>
void for_each_sequence(const Packing& shorter, const Packing& longer, X x, Y y, const F& f) {
  for (Index s = 0; s < shorter.sequences(); ++s) {
    const auto at = static_cast<std::size_t>(s);
    f(x.rows_between(shorter.offsets[at], shorter.offsets[at + 1]),
      y.rows_between(longer.offsets[at] + 1, longer.offsets[at + 1]));
  }
}

}  // namespace

Variable prepend_token(Tape& tape, const Variable& x, const Packing& packing, Parameter& token) {
  const Variable y = tape.variable(packing.tokens(), x.cols(), &packing, true);
  for (Index s = 0; s < packing.sequences(); ++s)
    std::copy_n(token.value.data, x.cols(), y.value().row(packing.offsets[static_cast<std::size_t>(s)]));
  for_each_sequence(x.packing(), packing, x.value(), y.value(),
                    [](Matrix from, Matrix to) { kernels::copy(from, to); });
  // Row 0 of a table that the first token of each sequence reads, so that the gradient is reduced like any
  // other.
  const std::span<std::int32_t> ids(tape.arena().allocate_array<std::int32_t>(y.rows()),
                                    static_cast<std::size_t>(y.rows()));
  std::fill(ids.begin(), ids.end(), 1);
  for (const Index first : packing.offsets.first(packing.offsets.size() - 1))
    ids[static_cast<std::size_t>(first)] = 0;
  tape.record("prepend_token", y, [=, &tape, &packing, &token](ConstMatrix dy) {
    const Matrix sums = tape.temporary(2, dy.cols);
    const std::span<std::int32_t> order(tape.arena().allocate_array<std::int32_t>(dy.rows), ids.size());
    const std::span<std::int32_t> starts(tape.arena().allocate_array<std::int32_t>(3), 3);
    kernels::embed_backward(ids, dy, Real(1), *packing.plan, sums, false, order, starts);
    Tape::slot(token).put(sums.rows_between(0, 1));
    if (!x.needs_gradient()) return;
    const GradientSlot dx = tape.slot(x);
    for_each_sequence(x.packing(), packing, dx.matrix, dy, [&](Matrix to, ConstMatrix from) {
      GradientSlot{to, dx.accumulate}.put(from);
    });
  });
  return y;
}

}  // namespace headwater::ops
