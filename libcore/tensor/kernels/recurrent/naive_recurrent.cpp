// The naive form of recurrent cells, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

namespace naive {

namespace {

using kernels::array_of;
using kernels::Cell;
using kernels::matrix_of;
using Row = Eigen::Array<double, 1, Eigen::Dynamic>;

Row logistic(const Row& x) { return 1 / (1 + (-x).exp()); }
Row sigmoid_slope(const Row& y) { return y * (1 - y); }
Row tanh_slope(const Row& y) { return 1 - y.square(); }

Row times(const Row& x, ConstMatrix w) { return (x.matrix() * matrix_of(w)).array(); }
Row times_transposed(const Row& dy, ConstMatrix w) {
  return (dy.matrix() * matrix_of(w).transpose()).array();
}
ConstMatrix columns(ConstMatrix w, Index first, Index count) {
  return w.columns_between(first, first + count);
}

struct State {
  Row h, c;
};
State initial_state(const Recurrence& r, Index s) {
  const Index H = r.width();
  State state{Row::Zero(H), Row::Zero(H)};
  if (!r.initial) return state;
  state.h = array_of(r.initial.row(s), H);
  if (r.cell == Cell::lstm) state.c = array_of(r.initial.row(s) + H, H);
  return state;
}
// Before step `step` of sequence s.
State state_before(const Recurrence& r, ConstMatrix y, const RecurrentRecord& record, Index s, Index step) {
  if (step == 0) return initial_state(r, s);
  const Index H = r.width(), before = r.token(s, step - 1);
  return {array_of(y.row(before), H), array_of(record.inner.row(before), H)};
}

// Gates and `inner` of a token, and the state after it.
struct Step {
  Row gates, inner;
};
Step next(const Recurrence& r, const Row& x, State& state) {
  const Index H = r.width();
  Row sums = x, inner(H);
  if (r.cell == Cell::lstm) {
    sums += times(state.h, r.w);
    Row gates = logistic(sums);
    gates.segment(2 * H, H) = sums.segment(2 * H, H).tanh();
    state.c = gates.segment(H, H) * state.c + gates.head(H) * gates.segment(2 * H, H);
    state.h = gates.tail(H) * state.c.tanh();
    return {gates, state.c};
  }
  Row product = times(state.h, r.w);
  if (r.b) product += array_of(r.b, 3 * H);
  sums.head(2 * H) += product.head(2 * H);
  Row gates = logistic(sums);
  const Row reset = gates.segment(H, H);
  if (r.cell == Cell::gru) {
    inner = product.tail(H);
    gates.tail(H) = (sums.tail(H) + reset * inner).tanh();
  } else {
    inner = reset * state.h;
    gates.tail(H) = (sums.tail(H) + times(inner, columns(r.w, 2 * H, H))).tanh();
  }
  state.h = gates.head(H) * state.h + (1 - gates.head(H)) * gates.tail(H);
  return {gates, inner};
}

// d: of the state after a token; becomes that of the state before. dx and dproduct of the token.
struct StepGradient {
  Row dx, dproduct;
};
StepGradient previous(const Recurrence& r, const Step& step, const State& before, State& d) {
  const Index H = r.width();
  const auto gate = [&](Index i) -> Row { return step.gates.segment(i * H, H); };
  StepGradient made{Row(kernels::gates_of(r.cell) * H), Row()};
  const auto put = [&](Index i, const Row& value) { made.dx.segment(i * H, H) = value; };
  if (r.cell == Cell::lstm) {
    const Row y = step.inner.tanh();
    d.c += d.h * gate(3) * tanh_slope(y);
    put(0, d.c * gate(2) * sigmoid_slope(gate(0)));
    put(1, d.c * before.c * sigmoid_slope(gate(1)));
    put(2, d.c * gate(0) * tanh_slope(gate(2)));
    put(3, d.h * y * sigmoid_slope(gate(3)));
    d.c *= gate(1);
    d.h = times_transposed(made.dx, r.w);
    return made;
  }
  const Row dn = d.h * (1 - gate(0)) * tanh_slope(gate(2));
  put(0, d.h * (before.h - gate(2)) * sigmoid_slope(gate(0)));
  put(2, dn);
  d.h *= gate(0);
  if (r.cell == Cell::gru) {
    put(1, dn * step.inner * sigmoid_slope(gate(1)));
    made.dproduct = dn * gate(1);
    Row products = made.dx;
    products.tail(H) = made.dproduct;
    d.h += times_transposed(products, r.w);
  } else {
    const Row dinner = times_transposed(dn, columns(r.w, 2 * H, H));
    put(1, dinner * before.h * sigmoid_slope(gate(1)));
    d.h += dinner * gate(1) + times_transposed(made.dx.head(2 * H), columns(r.w, 0, 2 * H));
  }
  return made;
}

void put_state(Cell cell, const State& state, double* to) {
  const Index H = state.h.cols();
  array_of(to, H) = state.h;
  if (cell == Cell::lstm) array_of(to + H, H) = state.c;
}

}  // namespace

void recurrent(const Recurrence& r, ConstMatrix x, Matrix y, const RecurrentRecord& record, Matrix final) {
  const Index H = r.width();
  for (Index s = 0; s < r.sequences(); ++s) {
    State state = initial_state(r, s);
    for (Index step = 0; step < r.length(s); ++step) {
      const Index token = r.token(s, step);
      const Step made = next(r, array_of(x.row(token), x.cols), state);
      array_of(y.row(token), H) = state.h;
      if (record.gates) array_of(record.gates.row(token), x.cols) = made.gates;
      if (record.inner) array_of(record.inner.row(token), H) = made.inner;
    }
    if (final) put_state(r.cell, state, final.row(s));
  }
}

void recurrent_backward(const Recurrence& r, ConstMatrix y, const RecurrentRecord& record, ConstMatrix dy,
                        const RecurrentGradients& gradients) {
  const Index H = r.width();
  for (Index s = 0; s < r.sequences(); ++s) {
    State d{Row::Zero(H), Row::Zero(H)};
    for (Index step = r.length(s) - 1; step >= 0; --step) {
      const Index token = r.token(s, step);
      d.h += array_of(dy.row(token), H);
      const Step made{array_of(record.gates.row(token), record.gates.cols),
                      array_of(record.inner.row(token), H)};
      const StepGradient gradient = previous(r, made, state_before(r, y, record, s, step), d);
      array_of(gradients.dx.row(token), gradients.dx.cols) = gradient.dx;
      if (gradients.dproduct) array_of(gradients.dproduct.row(token), H) = gradient.dproduct;
    }
    if (gradients.dinitial) put_state(r.cell, d, gradients.dinitial.row(s));
  }
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

Index packed_recurrent_size(Cell, Index) { return 0; }
PackedRecurrent pack_recurrent(Cell, ConstMatrix, Real*) { return {}; }
std::optional<PackedRecurrent> split_panels(Cell, const PackedWeight&) { return std::nullopt; }
void recurrent(const Recurrence& recurrence, ConstMatrix x, Matrix y, const RecurrentRecord& record,
               Matrix final, const PackedRecurrent*) {
  naive::recurrent(recurrence, x, y, record, final);
}
void recurrent_backward(const Recurrence& recurrence, ConstMatrix y, const RecurrentRecord& record,
                        ConstMatrix dy, const RecurrentGradients& gradients) {
  naive::recurrent_backward(recurrence, y, record, dy, gradients);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
