#include "autograd/ops.hpp"

namespace headwater::ops {

Variable linear(Tape& tape, const Variable& x, Parameter& w, Parameter* b, Activation activation,
                Use use_of_x) {
  const Variable y = tape.variable(x.rows(), w.value.cols, x.packing_or_null(), true);
  const bool keeps_slope = tape.is_recording() && kernels::keeps_slope(activation);
  const Matrix slope = keeps_slope ? tape.arena().matrix(y.rows(), y.cols()) : Matrix();
  kernels::linear(x.value(), w.value, b ? b->value.data : nullptr, activation, y.value(), slope);
  const kernels::UndoneActivation last{activation, keeps_slope ? slope : y.value()};
  tape.record("linear", y, last, [=, &tape, &w](ConstMatrix dy) {
    const Tape::PairSlot d = Tape::slot(w, b);
    const kernels::LinearGradient gradient{dy, w.value, d.weight, d.bias, d.accumulate};
    const GradientSlot dx = x.needs_gradient() ? tape.slot(x, use_of_x) : GradientSlot{};
    kernels::linear_backward(x.value(), {&gradient, 1}, *x.packing().plan, dx.matrix, dx.accumulate,
                             dx.undone);
  });
  return y;
}

Variable linear_transposed(Tape& tape, const Variable& x, Parameter& w, Parameter* b) {
  const Variable y = tape.variable(x.rows(), w.value.rows, x.packing_or_null(), true);
  kernels::linear_transposed(x.value(), w.value, b ? b->value.data : nullptr, y.value());
  tape.record("linear_transposed", y, [=, &tape, &w](ConstMatrix dy) {
    const ReductionTree& plan = *x.packing().plan;
    // dw = Σ_t dy[t]ᵀ x[t]
    const GradientSlot dw = Tape::slot(w);
    kernels::linear_backward_weight(dy, x.value(), plan, dw.matrix, nullptr, dw.accumulate);
    if (b != nullptr) {
      // db = Σ_t dy[t]: the gradient of a product whose other factor has no columns.
      const GradientSlot db = Tape::slot(*b);
      kernels::linear_backward_weight(dy.columns_between(0, 0), dy, plan, Matrix(nullptr, 0, dy.cols),
                                      db.matrix.data, db.accumulate);
    }
    if (!x.needs_gradient()) return;
    // dx = dy·w
    kernels::linear(dy, w.value, nullptr, Activation::none, tape.overwritten(x));
  });
  return y;
}

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
