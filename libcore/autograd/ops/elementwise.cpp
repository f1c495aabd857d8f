#include "autograd/ops.hpp"

namespace headwater::ops {

Variable add(Tape& tape, const Variable& a, const Variable& b, Use use_of_b) {
  const Variable y = tape.variable_like(b, use_of_b, a.needs_gradient() || b.needs_gradient());
  kernels::add(a.value(), b.value(), y.value());
  tape.record("add", y, [&tape, a, b, use_of_b](Matrix dy) { tape.accumulate(a, b, use_of_b, dy); });
  return y;
}

Variable scale(Tape& tape, const Variable& x, Real factor, Use use_of_x) {
  const Variable y = tape.variable_like(x, use_of_x, x.needs_gradient());
  kernels::scale(x.value(), factor, y.value(), false);
  tape.record("scale", y, [&tape, x, factor](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    kernels::scale(dy, factor, dx.matrix, dx.accumulate);
  });
  return y;
}

namespace {

// Number of x's first element in the global batch.
std::uint64_t first_element_of(const Variable& x) {
  const Packing* const packing = x.packing_or_null();
  return packing == nullptr ? 0 : static_cast<std::uint64_t>(packing->first_token * x.cols());
}

}  // namespace

Variable dropout(Tape& tape, const Variable& x, Real rate, const RandomStream& stream, Use use_of_x) {
  if (rate <= 0 || !tape.is_recording()) return x;
  const Variable y = tape.variable_like(x, use_of_x, x.needs_gradient());
  const std::uint64_t first = first_element_of(x);
  kernels::dropout(x.value(), rate, stream, first, y.value(), false);
  tape.record("dropout", y, [&tape, x, rate, stream, first](ConstMatrix dy) {
    const GradientSlot dx = tape.slot_in_place(x);
    kernels::dropout(dy, rate, stream, first, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
