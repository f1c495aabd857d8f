// Elementwise kernels: blocks of consecutive values, or of rows where there are gaps between them.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/elementwise/elementwise.hpp"

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

void fill(Matrix y, Real value) {
  const ElementwiseTable& table = *kernel_table().elementwise;
  for_each_piece(y.rows, y.cols, has_no_gaps(y),
                 [&](Index r, Index c, Index n) { table.fill(n, value, y.row(r) + c); });
}

namespace {

// f(n, a, b, y) of runs of values.
template <class F>
void combine(ConstMatrix a, ConstMatrix b, Matrix y, const F& f) {
  for_each_piece(y.rows, y.cols, has_no_gaps(a) && has_no_gaps(b) && has_no_gaps(y),
                 [&](Index r, Index c, Index n) { f(n, a.row(r) + c, b.row(r) + c, y.row(r) + c); });
}

}  // namespace

void add(ConstMatrix a, ConstMatrix b, Matrix y) { combine(a, b, y, kernel_table().elementwise->add); }

void multiply(ConstMatrix a, ConstMatrix b, Matrix y) {
  combine(a, b, y, kernel_table().elementwise->multiply);
}

void accumulate(ConstMatrix x, Matrix y) { add(y, x, y); }

void scale(ConstMatrix x, Real factor, Matrix y, bool accumulate) {
  const ElementwiseTable& table = *kernel_table().elementwise;
  for_each_piece(y.rows, y.cols, has_no_gaps(x) && has_no_gaps(y), [&](Index r, Index c, Index n) {
    table.scale(n, x.row(r) + c, factor, y.row(r) + c, accumulate);
  });
}

void copy(ConstMatrix x, Matrix y) {
  const ElementwiseTable& table = *kernel_table().elementwise;
  for_each_piece(y.rows, y.cols, has_no_gaps(x) && has_no_gaps(y),
                 [&](Index r, Index c, Index n) { table.copy(n, x.row(r) + c, y.row(r) + c); });
}

void transpose(ConstMatrix x, Matrix y) {
  const ElementwiseTable& table = *kernel_table().elementwise;
  parallel_for((x.rows + 15) / 16, [&](Index task) {
    const Index begin = 16 * task, end = std::min(x.rows, begin + 16);
    if (end - begin == 16) {
      table.transpose(x.row(begin), x.stride, x.cols, y.data + begin, y.stride);
      return;
    }
    for (Index r = begin; r < end; ++r) {
      for (Index c = 0; c < x.cols; ++c) y.row(c)[r] = x.row(r)[c];
    }
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
