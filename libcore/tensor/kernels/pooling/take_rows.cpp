// Some rows of a matrix, and their gradients back to their places.
#ifndef HEADWATER_DOUBLE

#include <algorithm>

#include "tensor/kernels/pooling/pooling.hpp"
#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

void take_rows(ConstMatrix x, std::span<const std::int32_t> rows, Matrix y) {
  for_each_row_block(y.rows, y.cols, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      std::copy_n(x.row(rows[static_cast<std::size_t>(i)]), y.cols, y.row(i));
  });
}

void take_rows_backward(ConstMatrix dy, std::span<const std::int32_t> rows, Matrix dx, bool accumulate) {
  const auto row_at = [&](Index i) { return static_cast<Index>(rows[static_cast<std::size_t>(i)]); };
  const auto clear = [&](Index begin, Index end) {
    for (Index t = begin; t < end; ++t) std::fill_n(dx.row(t), dx.cols, Real(0));
  };
  if (!accumulate) clear(dy.rows == 0 ? 0 : row_at(dy.rows - 1) + 1, dx.rows);
  for_each_row_block(dy.rows, dy.cols, [&](Index begin, Index end) {
    // A row that is taken several times belongs to the block in which it is taken first.
    const auto is_first = [&](Index i) { return i == 0 || row_at(i - 1) != row_at(i); };
    while (begin < end && !is_first(begin)) ++begin;
    if (begin == end) return;
    while (end < dy.rows && !is_first(end)) ++end;
    for (Index i = begin; i < end; ++i) {
      Real* const to = dx.row(row_at(i));
      const Real* const from = dy.row(i);
      if (accumulate || !is_first(i)) {
        for (Index c = 0; c < dy.cols; ++c) to[c] += from[c];
        continue;
      }
      clear(i == 0 ? 0 : row_at(i - 1) + 1, row_at(i));
      std::copy_n(from, dy.cols, to);
    }
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
