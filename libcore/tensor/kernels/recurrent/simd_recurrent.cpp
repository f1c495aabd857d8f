#include "tensor/kernels/recurrent/recurrent_table.hpp"
#include "tensor/kernels/simd_row.hpp"
#include "tensor/simd_math.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

f32x16 one() { return f32x16::broadcast(1); }
// dy/dx of y = sigmoid(x), and of y = tanh(x).
HEADWATER_INLINE f32x16 sigmoid_slope(f32x16 y) { return y * (one() - y); }
HEADWATER_INLINE f32x16 tanh_slope(f32x16 y) { return one() - y * y; }

// Numbers [i, i + 16) of a part of a row, in the group that is at work.
template <class Part>
struct Group {
  Index H, i, lanes;
  Part part = {};
  HEADWATER_INLINE f32x16 load(const float* x, Index gate = 0) const {
    return part.load(x + gate * H + i, lanes);
  }
  HEADWATER_INLINE f32x16 load_or_zero(const float* x) const { return x ? load(x) : f32x16::zero(); }
  HEADWATER_INLINE void store(f32x16 value, float* x, Index gate = 0) const {
    part.store(value, x + gate * H + i, lanes);
  }
};
template <class F>
HEADWATER_INLINE void for_each_part(Index H, const F& f) {
  for_each_group(H, [&](Index i, Index lanes, auto part) { f(Group<decltype(part)>{H, i, lanes}); });
}

void lstm(Index H, const LstmRow& row) {
  for_each_part(H, [&](const auto& at) {
    const auto sum = [&](Index gate) { return at.load(row.x, gate) + at.load(row.product, gate); };
    const f32x16 i = sigmoid(sum(0)), f = sigmoid(sum(1)), g = tanh(sum(2)), o = sigmoid(sum(3));
    const f32x16 c = fma(f, at.load(row.c), i * g);
    at.store(i, row.gates, 0);
    at.store(f, row.gates, 1);
    at.store(g, row.gates, 2);
    at.store(o, row.gates, 3);
    at.store(c, row.c);
    at.store(o * tanh(c), row.h);
  });
}

void lstm_backward(Index H, const LstmGradientRow& row) {
  for_each_part(H, [&](const auto& at) {
    const f32x16 i = at.load(row.gates, 0), f = at.load(row.gates, 1), g = at.load(row.gates, 2),
                 o = at.load(row.gates, 3);
    const f32x16 dh = at.load(row.dy) + at.load(row.dproduct), y = tanh(at.load(row.c));
    const f32x16 dc = fma(dh * o, tanh_slope(y), at.load(row.dc));
    at.store(dc * g * sigmoid_slope(i), row.dx, 0);
    at.store(dc * at.load_or_zero(row.previous_c) * sigmoid_slope(f), row.dx, 1);
    at.store(dc * i * tanh_slope(g), row.dx, 2);
    at.store(dh * y * sigmoid_slope(o), row.dx, 3);
    at.store(dc * f, row.dc);
  });
}

// n and z into the next state: z*h + (1 - z)*n.
HEADWATER_INLINE f32x16 next_state(f32x16 z, f32x16 n, f32x16 h) { return fma(z, h - n, n); }

void gru(Index H, const GruRow& row) {
  for_each_part(H, [&](const auto& at) {
    const f32x16 z = sigmoid(at.load(row.x, 0) + at.load(row.product, 0)),
                 r = sigmoid(at.load(row.x, 1) + at.load(row.product, 1));
    const f32x16 inner = at.load(row.product, 2), n = tanh(fma(r, inner, at.load(row.x, 2)));
    at.store(z, row.gates, 0);
    at.store(r, row.gates, 1);
    at.store(n, row.gates, 2);
    at.store(inner, row.inner);
    at.store(next_state(z, n, at.load(row.h)), row.h);
  });
}

void gru_backward(Index H, const GruGradientRow& row) {
  for_each_part(H, [&](const auto& at) {
    const f32x16 z = at.load(row.gates, 0), r = at.load(row.gates, 1), n = at.load(row.gates, 2);
    const f32x16 dh = at.load(row.dy) + at.load(row.dproduct) + at.load(row.dh);
    const f32x16 dz = dh * (at.load_or_zero(row.previous) - n) * sigmoid_slope(z);
    const f32x16 dn = dh * (one() - z) * tanh_slope(n);
    const f32x16 dr = dn * at.load(row.inner) * sigmoid_slope(r);
    at.store(dz, row.dx, 0);
    at.store(dr, row.dx, 1);
    at.store(dn, row.dx, 2);
    at.store(dz, row.dgates, 0);
    at.store(dr, row.dgates, 1);
    at.store(dn * r, row.dgates, 2);
    at.store(dh * z, row.dh);
  });
}

void gru_gates(Index H, const GruRow& row) {
  for_each_part(H, [&](const auto& at) {
    const f32x16 z = sigmoid(at.load(row.x, 0) + at.load(row.product, 0)),
                 r = sigmoid(at.load(row.x, 1) + at.load(row.product, 1));
    at.store(z, row.gates, 0);
    at.store(r, row.gates, 1);
    at.store(r * at.load(row.h), row.inner);
  });
}

void gru_candidate(Index H, const GruRow& row) {
  for_each_part(H, [&](const auto& at) {
    const f32x16 n = tanh(at.load(row.x, 2) + at.load(row.product));
    at.store(n, row.gates, 2);
    at.store(next_state(at.load(row.gates, 0), n, at.load(row.h)), row.h);
  });
}

void gru_candidate_backward(Index H, const GruGradientRow& row) {
  for_each_part(H, [&](const auto& at) {
    const f32x16 z = at.load(row.gates, 0), n = at.load(row.gates, 2);
    const f32x16 dh = at.load(row.dy) + at.load(row.dproduct) + at.load(row.dh);
    at.store(dh * (at.load_or_zero(row.previous) - n) * sigmoid_slope(z), row.dx, 0);
    at.store(dh * (one() - z) * tanh_slope(n), row.dx, 2);
    at.store(dh * z, row.dh);
  });
}

void gru_gates_backward(Index H, const GruGradientRow& row) {
  for_each_part(H, [&](const auto& at) {
    const f32x16 r = at.load(row.gates, 1), dinner = at.load(row.dproduct);
    at.store(dinner * at.load_or_zero(row.previous) * sigmoid_slope(r), row.dx, 1);
    at.store(fma(dinner, r, at.load(row.dh)), row.dh);
  });
}

void ssru(Index H, const SsruRow& row) {
  for_each_part(H, [&](const auto& at) {
    const f32x16 f = sigmoid(at.load(row.gate)),
                 c = next_state(f, at.load(row.x), at.load_or_zero(row.previous));
    at.store(f, row.f);
    at.store(c, row.c);
    at.store(relu(c), row.h);
  });
}

void ssru_backward(Index H, const SsruGradientRow& row) {
  for_each_part(H, [&](const auto& at) {
    const f32x16 f = at.load(row.f), past = at.load(row.dc);
    const f32x16 dc = select(less(f32x16::zero(), at.load(row.c)), past + at.load(row.dh), past);
    at.store(dc * (one() - f), row.dx);
    at.store(dc * (at.load_or_zero(row.previous) - at.load(row.x)) * sigmoid_slope(f), row.dgate);
    at.store(dc * f, row.dc);
  });
}

}  // namespace

extern const RecurrentTable recurrent_functions;
const RecurrentTable recurrent_functions{lstm,
                                         lstm_backward,
                                         gru,
                                         gru_backward,
                                         gru_gates,
                                         gru_candidate,
                                         gru_candidate_backward,
                                         gru_gates_backward,
                                         ssru,
                                         ssru_backward};

}  // namespace headwater::kernels::HEADWATER_ISA
