#include "autograd/ops.hpp"

namespace headwater::ops {

Projected project(Tape& tape, const Variable& x, std::span<const Projection> projections) {
  Projected y;
  std::array<kernels::Projection, kernels::kMaxProjections> products;
  std::array<Projection, kernels::kMaxProjections> layers;
  const std::size_t count = projections.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Projection& p = layers[i] = projections[i];
    y[i] = tape.variable(x.rows(), p.weight->value.cols, x.packing_or_null(), true);
    products[i] = {p.weight->value, p.bias ? p.bias->value.data : nullptr, y[i].value()};
  }
  kernels::project(x.value(), {products.data(), count});
  tape.record("project", [&tape, x, y, layers, count] {
    // Last first, as if each were an operation of its own.
    std::array<kernels::LinearGradient, kernels::kMaxProjections> gradients;
    std::size_t flowed = 0;
    for (std::size_t i = count; i-- > 0;) {
      if (!Tape::has_incoming(y[i])) continue;
      const Tape::PairSlot d = Tape::slot(*layers[i].weight, layers[i].bias);
      gradients[flowed++] = {tape.incoming(y[i]), layers[i].weight->value, d.weight, d.bias, d.accumulate};
    }
    if (flowed == 0) return;
    const GradientSlot dx = x.needs_gradient() ? tape.slot(x) : GradientSlot{};
    kernels::linear_backward(x.value(), {gradients.data(), flowed}, *x.packing().plan, dx.matrix,
                             dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
