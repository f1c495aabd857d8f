#include <algorithm>

#include "autograd/ops.hpp"
#include "support/parallel.hpp"

namespace headwater::ops {

namespace {

// f(row of x, row of y) for all rows.
template <class F>
void for_each_row(const Packing& packing, const F& f) {
  const auto first_row = [&](Index s) { return packing.offsets[static_cast<std::size_t>(s)]; };
  parallel_for((static_cast<Index>(packing.offsets.size()) - 1) / 2, [&](Index i) {
    const Index begin = first_row(2 * i), length = first_row(2 * i + 1) - begin;
    for (Index t = 0; t < 2 * length; ++t) f(begin + t, begin + (t < length ? 2 * t : 2 * (t - length) + 1));
  });
}

}  // namespace

Variable interleave_copies(Tape& tape, const Variable& x) {
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), x.needs_gradient());
  for_each_row(x.packing(),
               [&](Index from, Index to) { std::copy_n(x.value().row(from), x.cols(), y.value().row(to)); });
  tape.record("interleave_copies", y, [&tape, x](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    for_each_row(x.packing(), [&](Index to, Index from) {
      for (Index c = 0; c < x.cols(); ++c)
        dx.matrix.row(to)[c] = dy.row(from)[c] + (dx.accumulate ? dx.matrix.row(to)[c] : Real(0));
    });
  });
  return y;
}

}  // namespace headwater::ops
