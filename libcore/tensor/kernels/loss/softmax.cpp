// Softmax and its relatives, by blocks of rows.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/loss/loss.hpp"
#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

void softmax(ConstMatrix x, Matrix y) {
  const SoftmaxTable& table = *kernel_table().softmax;
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) table.softmax(x.cols, x.row(r), y.row(r));
  });
}

void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx, bool accumulate) {
  const SoftmaxTable& table = *kernel_table().softmax;
  for_each_row_block(y.rows, y.cols, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) table.backward(y.cols, y.row(r), dy.row(r), dx.row(r), accumulate);
  });
}

void log_sum_exp(ConstMatrix x, Real* y) {
  const SoftmaxTable& table = *kernel_table().softmax;
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) y[r] = table.log_sum_exp(x.cols, x.row(r));
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
