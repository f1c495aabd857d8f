// The double build's products with weights, from tensor/naive_linear.hpp.
#ifdef HEADWATER_DOUBLE

#include <algorithm>
#include <vector>

#include "tensor/naive.hpp"
#include "tensor/naive_linear.hpp"

namespace headwater::kernels {

void linear(ConstMatrix x, ConstMatrix w, const Real* bias, Activation activation, Matrix y, Matrix pre) {
  naive::linear<Real>(x, w, false, bias, activation, y, pre);
}
void project(ConstMatrix x, std::span<const Projection> projections) {
  for (const Projection& p : projections) linear(x, p.w, p.bias, Activation::none, p.y);
}
PackedWeight pack_weight(ConstMatrix w, Real* to) {
  std::fill_n(to, packed_size(w.rows, w.cols), Real(0));
  for (Index k = 0; k < w.rows; ++k) {
    for (Index c = 0; c < w.cols; ++c) to[(c / 16 * w.rows + k) * 16 + c % 16] = w.row(k)[c];
  }
  return {to, w.rows, w.cols};
}
Index screen_size(Index, Index) { return 0; }
WeightScreen screen_weight(const PackedWeight&, Real*) { return {}; }
void linear_packed(ConstMatrix x, const PackedWeight& w, const Real* bias, Activation activation, Matrix y) {
  std::vector<Real> plain(static_cast<std::size_t>(w.inputs * w.outputs));
  for (Index k = 0; k < w.inputs; ++k) {
    for (Index c = 0; c < w.outputs; ++c)
      plain[static_cast<std::size_t>(k * w.outputs + c)] = w.panels[(c / 16 * w.inputs + k) * 16 + c % 16];
  }
  naive::linear<Real>(x, ConstMatrix(plain.data(), w.inputs, w.outputs), false, bias, activation, y, {});
}
void linear_packed(ConstMatrix x, std::span<const PackedProduct> products) {
  for (const PackedProduct& p : products) linear_packed(x, p.w, p.bias, p.activation, p.y);
}
void linear_argmax(ConstMatrix x, const PackedWeight& w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best) {
  std::vector<Real> logits(static_cast<std::size_t>(x.rows * w.outputs));
  const Matrix y(logits.data(), x.rows, w.outputs);
  linear_packed(x, w, bias, Activation::none, y);
  naive::argmax<Real>(y, skip, best);
}
void linear_transposed(ConstMatrix x, ConstMatrix w, const Real* bias, Matrix y) {
  naive::linear<Real>(x, w, true, bias, Activation::none, y, {});
}
void linear_backward_input(ConstMatrix dy, ConstMatrix w, Matrix dx, bool accumulate) {
  naive::linear_backward_input<Real>(dy, w, dx, accumulate);
}
void linear_backward_weight(ConstMatrix x, ConstMatrix dy, const FoldPlan&, Matrix dw, Real* db,
                            bool accumulate) {
  naive::linear_backward_weight<Real>(x, dy, dw, db, accumulate);
}
void linear_backward(ConstMatrix x, std::span<const LinearGradient> gradients, const FoldPlan& plan,
                     Matrix dx, bool accumulate_dx) {
  for (const LinearGradient& g : gradients) {
    linear_backward_weight(x, g.dy, plan, g.dw, g.db, g.accumulate);
    if (dx) linear_backward_input(g.dy, g.w, dx, accumulate_dx || &g != gradients.data());
  }
}
void activation_backward(Activation activation, ConstMatrix y, ConstMatrix pre, ConstMatrix dy, Matrix dpre) {
  naive::activation_backward<Real>(activation, y, pre, dy, dpre);
}
void activate(Activation activation, ConstMatrix x, Matrix y) {
  for (Index t = 0; t < x.rows; ++t) {
    for (Index c = 0; c < x.cols; ++c) y.row(t)[c] = naive::activate<Real>(activation, x.row(t)[c]);
  }
}
Index cross_entropy_block_rows(const FoldPlan&) { return 0; }
Index cross_entropy_scratch_rows(const FoldPlan&) { return 0; }
CrossEntropyTotals linear_cross_entropy(ConstMatrix h, ConstMatrix w, bool is_transposed, const Real* bias,
                                        std::span<const std::int32_t> labels, Real label_smoothing,
                                        Real loss_scale, const FoldPlan&, Matrix,
                                        CrossEntropyGradients* gradients) {
  if (gradients == nullptr) {
    return naive::linear_cross_entropy<Real>(h, w, is_transposed, bias, labels, label_smoothing, loss_scale,
                                             nullptr);
  }
  const naive::CrossEntropyGradients<Real> wanted{gradients->dh, gradients->dw, gradients->db,
                                                  gradients->accumulate_weight, gradients->accumulate_bias};
  return naive::linear_cross_entropy<Real>(h, w, is_transposed, bias, labels, label_smoothing, loss_scale,
                                           &wanted);
}

}  // namespace headwater::kernels

#endif
