#include <algorithm>
#include <array>

#include "autograd/ops.hpp"

namespace headwater::ops {

namespace {

using kernels::Cell;

Matrix gate_columns(const Matrix& m, Index H, Index first, Index count) {
  return m.columns_between(first * H, (first + count) * H);
}

// The gradients of w and b: sums over the tokens of the states that the products were made of.
void add_weight_gradients(Cell cell, Index H, const ReductionTree& plan, ConstMatrix previous,
                          const kernels::RecurrentRecord& record, const Matrix& dx, const Matrix& dproduct,
                          const Tape::PairSlot& d) {
  using Gradient = kernels::LinearGradient;
  const auto gradient_of = [&](const Matrix& dproducts, Index first, Index gates) -> Gradient {
    return {.dy = dproducts,
            .w = {},
            .dw = gate_columns(d.weight, H, first, gates),
            .db = d.bias != nullptr ? d.bias + first * H : nullptr,
            .accumulate = d.accumulate};
  };
  if (cell == Cell::lstm) {
    const Gradient all = gradient_of(dx, 0, 4);
    kernels::linear_backward(previous, {&all, 1}, plan, {}, false);
    return;
  }
  const bool is_before = cell == Cell::gru_reset_before;
  const Matrix& dcandidate = is_before ? gate_columns(dx, H, 2, 1) : dproduct;
  const std::array<Gradient, 2> parts{gradient_of(gate_columns(dx, H, 0, 2), 0, 2),
                                      gradient_of(dcandidate, 2, 1)};
  if (is_before) {
    kernels::linear_backward(previous, {parts.data(), 1}, plan, {}, false);
    kernels::linear_backward(record.inner, {&parts[1], 1}, plan, {}, false);
  } else {
    kernels::linear_backward(previous, parts, plan, {}, false);
  }
}

}  // namespace

Variable recurrent(Tape& tape, const Variable& x, const Recurrent& layer, Use use_of_x) {
  const Index T = x.rows(), H = layer.w->value.rows;
  const Variable& initial = layer.initial;
  const kernels::Recurrence recurrence{.cell = layer.cell,
                                       .is_backward = layer.is_backward,
                                       .offsets = x.packing().offsets,
                                       .w = layer.w->value,
                                       .b = layer.b != nullptr ? layer.b->value.data : nullptr,
                                       .initial = initial ? initial.value() : Matrix()};
  const Variable y = tape.variable(T, H, x.packing_or_null(), true);
  kernels::RecurrentRecord record;
  if (tape.is_recording())
    record = {.gates = tape.memory_like(x, use_of_x), .inner = tape.arena().matrix(T, H)};
  kernels::recurrent(recurrence, x.value(), y.value(), record, layer.final);
  tape.record("recurrent", y, [=, &tape, w = layer.w, b = layer.b](ConstMatrix dy, ConstMatrix h) {
    const Index tokens = h.rows, width = h.cols;
    const Tape::PairSlot d = Tape::slot(*w, b);
    const kernels::RecurrentGradients made{
        .dx = x.needs_gradient() ? tape.overwritten(x) : tape.temporary(tokens, x.cols()),
        .dproduct = recurrence.cell == Cell::gru ? tape.temporary(tokens, width) : Matrix(),
        .dinitial = initial && initial.needs_gradient() ? tape.overwritten(initial) : Matrix()};
    kernels::recurrent_backward(recurrence, h, record, dy, made);
    const Matrix previous = tape.temporary(tokens, width);
    kernels::previous_states(recurrence, h, previous);
    add_weight_gradients(recurrence.cell, width, *x.packing().plan, previous, record, made.dx, made.dproduct,
                         d);
  });
  return y;
}

Variable simple_recurrent(Tape& tape, const Variable& x, const Variable& gate, const Matrix& final) {
  const std::span<const Index> offsets = x.packing().offsets;
  const Matrix f = tape.memory_like(gate, Use::donate), c = tape.arena().matrix(x.rows(), x.cols());
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), true);
  kernels::simple_recurrent(offsets, x.value(), gate.value(), f, c, y.value());
  for (Index s = 0; s < final.rows; ++s) {
    const Index end = offsets[static_cast<std::size_t>(s) + 1];
    if (end > offsets[s]) std::copy_n(c.row(end - 1), c.cols, final.row(s));
  }
  tape.record("simple_recurrent", y, [=, &tape](ConstMatrix dh) {
    const auto overwritten = [&](const Variable& v) {
      return v.needs_gradient() ? tape.overwritten(v) : tape.temporary(v.rows(), v.cols());
    };
    kernels::simple_recurrent_backward(offsets, x.value(), f, c, dh, overwritten(x), overwritten(gate));
  });
  return y;
}

}  // namespace headwater::ops
