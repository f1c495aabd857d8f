// The naive form of products with weights, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include <algorithm>

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

using kernels::array_of;
using kernels::matrix_of;

namespace naive {

void linear(ConstMatrix x, ConstMatrix w, bool is_transposed, const double* bias, Activation activation,
            Matrix y, Matrix slope) {
  if (is_transposed) {
    matrix_of(y) = matrix_of(x) * matrix_of(w).transpose();
  } else {
    matrix_of(y) = matrix_of(x) * matrix_of(w);
  }
  if (bias) array_of(y).rowwise() += array_of(bias, y.cols);
  naive::activate(activation, y, y, slope);  // not that of kernels, whose argument it takes
}

void linear_backward_input(ConstMatrix dy, ConstMatrix w, Matrix dx, bool accumulate) {
  if (!accumulate) array_of(dx) = 0;
  matrix_of(dx) += matrix_of(dy) * matrix_of(w).transpose();
}

void linear_backward_weight(ConstMatrix x, ConstMatrix dy, Matrix dw, double* db, bool accumulate) {
  if (!accumulate) array_of(dw) = 0;
  matrix_of(dw) += matrix_of(x).transpose() * matrix_of(dy);
  if (!db) return;
  if (!accumulate) array_of(db, dy.cols) = 0;
  array_of(db, dy.cols) += array_of(dy).colwise().sum();
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void linear(ConstMatrix x, ConstMatrix w, const Real* bias, Activation activation, Matrix y, Matrix slope) {
  naive::linear(x, w, false, bias, activation, y, slope);
}
void project(ConstMatrix x, std::span<const Projection> projections) {
  for (const Projection& p : projections) linear(x, p.w, p.bias, Activation::none, p.y);
}
// Panel p of a packed weight: columns [16·p, 16·p + 16).
PackedWeight pack_weight(ConstMatrix w, Real* to) {
  for (Index first = 0; first < w.cols; first += 16, to += 16 * w.rows) {
    const Index lanes = std::min<Index>(16, w.cols - first);
    auto panel = array_of(Matrix(to, w.rows, 16));
    panel.setZero();
    panel.leftCols(lanes) = array_of(w).middleCols(first, lanes);
  }
  return {to - packed_size(w.rows, w.cols), w.rows, w.cols};
}
Index int8_size(Index, Index) { return 0; }
PackedWeight quantize_weight(const PackedWeight&, Real*) { return {}; }
PackedWeight pack_int8(const Int8Weight&, Index, Index, Real*) { return {}; }
void unpack_int8(const PackedWeight&, std::int8_t*) {}
void linear_packed(ConstMatrix x, const PackedWeight& w, const Real* bias, Activation activation, Matrix y) {
  for (Index first = 0; first < w.outputs; first += 16) {
    const Index lanes = std::min<Index>(16, w.outputs - first);
    linear(x, ConstMatrix(w.panels + first * w.inputs, w.inputs, lanes, 16), bias ? bias + first : nullptr,
           activation, y.columns_between(first, first + lanes));
  }
}
void linear_packed(ConstMatrix x, std::span<const PackedProduct> products) {
  for (const PackedProduct& p : products) linear_packed(x, p.w, p.bias, p.activation, p.y);
}
void linear_transposed(ConstMatrix x, ConstMatrix w, const Real* bias, Matrix y) {
  naive::linear(x, w, true, bias, Activation::none, y, {});
}
void linear_backward_input(ConstMatrix dy, ConstMatrix w, Matrix dx, bool accumulate,
                           const UndoneActivation& undone) {
  naive::linear_backward_input(dy, w, dx, accumulate);
  if (undone.activation != Activation::none) activation_backward(undone.activation, undone.kept, dx, dx);
}
void linear_backward_weight(ConstMatrix x, ConstMatrix dy, const ReductionTree&, Matrix dw, Real* db,
                            bool accumulate) {
  naive::linear_backward_weight(x, dy, dw, db, accumulate);
}
void linear_backward(ConstMatrix x, std::span<const LinearGradient> gradients, const ReductionTree& plan,
                     Matrix dx, bool accumulate_dx, const UndoneActivation& undone) {
  for (const LinearGradient& g : gradients) {
    linear_backward_weight(x, g.dy, plan, g.dw, g.db, g.accumulate);
    if (dx) linear_backward_input(g.dy, g.w, dx, accumulate_dx || &g != gradients.data(), undone);
  }
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
