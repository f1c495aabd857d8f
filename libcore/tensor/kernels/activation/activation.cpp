#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/activation/activation.hpp"

#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

void activate(Activation activation, ConstMatrix x, Matrix y) {
  const ActivationTable& table = *kernel_table().activation;
  for_each_piece(x.rows, x.cols, has_no_gaps(x) && has_no_gaps(y), [&](Index r, Index c, Index n) {
    table.activate(activation, n, x.row(r) + c, y.row(r) + c);
  });
}

// Matrices that are not there have no rows, and so no gaps.
void activation_backward(Activation activation, ConstMatrix y, ConstMatrix pre, ConstMatrix dy, Matrix dpre) {
  const ActivationTable& table = *kernel_table().activation;
  const bool is_gapless = has_no_gaps(y) && has_no_gaps(pre) && has_no_gaps(dy) && has_no_gaps(dpre);
  for_each_piece(dy.rows, dy.cols, is_gapless, [&](Index r, Index c, Index n) {
    table.activation_backward(activation, n, y ? y.row(r) + c : nullptr, pre ? pre.row(r) + c : nullptr,
                              dy.row(r) + c, dpre.row(r) + c);
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
