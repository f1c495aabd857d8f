// The double build's kernels.
#ifdef HEADWATER_DOUBLE

#include "tensor/kernels/activation/naive_activation.hpp"

namespace headwater::kernels {

void activation_backward(Activation activation, ConstMatrix y, ConstMatrix pre, ConstMatrix dy, Matrix dpre) {
  naive::activation_backward<Real>(activation, y, pre, dy, dpre);
}
void activate(Activation activation, ConstMatrix x, Matrix y) {
  for (Index t = 0; t < x.rows; ++t) {
    for (Index c = 0; c < x.cols; ++c) y.row(t)[c] = naive::activate<Real>(activation, x.row(t)[c]);
  }
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
