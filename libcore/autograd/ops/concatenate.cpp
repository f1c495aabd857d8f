#include <algorithm>

#include "autograd/ops.hpp"

namespace headwater::ops {

Variable concatenate(Tape& tape, std::span<const Variable> parts) {
  Index width = 0;
  bool needs_gradient = false;
  for (const Variable& part : parts) {
    width += part.cols();
    needs_gradient = needs_gradient || part.needs_gradient();
  }
  const Variable y = tape.variable(parts[0].rows(), width, parts[0].packing_or_null(), needs_gradient);
  const auto columns_at = [](auto all, Index column, Index count) {
    return decltype(all)(all.data + column, all.rows, count, all.stride);
  };
  const std::span<Variable> kept(tape.arena().allocate_array<Variable>(static_cast<Index>(parts.size())),
                                 parts.size());
  std::copy(parts.begin(), parts.end(), kept.begin());
  Index column = 0;
  for (const Variable& part : kept) {
    kernels::scale(part.value(), 1, columns_at(y.value(), column, part.cols()), false);
    column += part.cols();
  }
  tape.record("concatenate", y, [&tape, kept, columns_at](ConstMatrix dy) {
    Index at = 0;
    for (const Variable& part : kept) {
      if (part.needs_gradient()) {
        const GradientSlot dx = tape.slot(part);
        kernels::scale(columns_at(dy, at, part.cols()), 1, dx.matrix, dx.accumulate);
      }
      at += part.cols();
    }
  });
  return y;
}

}  // namespace headwater::ops
