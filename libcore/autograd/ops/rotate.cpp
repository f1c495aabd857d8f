#include "autograd/ops.hpp"

namespace headwater::ops {

Variable rotate(Tape& tape, const Variable& x, ConstMatrix table, Use use_of_x) {
  const std::span<const Index> offsets = x.packing().offsets;
  const std::span<Index> position_of(tape.arena().allocate_array<Index>(x.rows()),
                                     static_cast<std::size_t>(x.rows()));
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (Index t = offsets[s]; t < offsets[s + 1]; ++t)
      position_of[static_cast<std::size_t>(t)] = t - offsets[s];
  }
  const Variable y = tape.variable_like(x, use_of_x, x.needs_gradient());
  kernels::rotate(x.value(), position_of, table, kernels::Turn::forth, y.value(), false);
  tape.record("rotate", y, [&tape, x, position_of, table](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    kernels::rotate(dy, position_of, table, kernels::Turn::back, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
