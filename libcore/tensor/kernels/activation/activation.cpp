#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/activation/activation.hpp"

#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

// A slope that is not there has no rows, and so no gaps.
void activate(Activation activation, ConstMatrix x, Matrix y, Matrix slope) {
  const ActivationTable& table = *kernel_table().activation;
  const bool is_gapless = has_no_gaps(x) && has_no_gaps(y) && has_no_gaps(slope);
  for_each_piece(x.rows, x.cols, is_gapless, [&](Index r, Index c, Index n) {
    table.activate(activation, n, x.row(r) + c, y.row(r) + c, slope ? slope.row(r) + c : nullptr);
  });
}

void activation_backward(Activation activation, ConstMatrix kept, ConstMatrix dy, Matrix dpre) {
  const ActivationTable& table = *kernel_table().activation;
  const bool is_gapless = has_no_gaps(kept) && has_no_gaps(dy) && has_no_gaps(dpre);
  for_each_piece(dy.rows, dy.cols, is_gapless, [&](Index r, Index c, Index n) {
    table.activation_backward(activation, n, kept.row(r) + c, dy.row(r) + c, dpre.row(r) + c);
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
