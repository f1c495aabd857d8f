#ifndef HEADWATER_DOUBLE

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/gemm_table.hpp"

namespace headwater::kernels {

namespace {

template <class M>
bool has_no_gaps(const M& x) {
  return !x || x.stride == x.cols;
}

// body(row, values) for runs of values that cover all rows, in tasks of about 16,384: rows run on into each
// other where there are no gaps between them.
template <class Body>
void for_each_run(Index rows, Index cols, bool is_gapless, const Body& body) {
  const Index block = std::max<Index>(1, 16'384 / std::max<Index>(cols, 1));
  parallel_for((rows + block - 1) / block, [&](Index task) {
    const Index begin = task * block, end = std::min(rows, begin + block);
    if (is_gapless) return body(begin, (end - begin) * cols);
    for (Index r = begin; r < end; ++r) body(r, cols);
  });
}

}  // namespace

void activate(Activation activation, ConstMatrix x, Matrix y) {
  const GemmTable& table = gemm_table();
  for_each_run(x.rows, x.cols, has_no_gaps(x) && has_no_gaps(y),
               [&](Index r, Index n) { table.activate(activation, n, x.row(r), y.row(r)); });
}

void activation_backward(Activation activation, ConstMatrix y, ConstMatrix pre, ConstMatrix dy, Matrix dpre) {
  const GemmTable& table = gemm_table();
  const bool is_gapless = has_no_gaps(y) && has_no_gaps(pre) && has_no_gaps(dy) && has_no_gaps(dpre);
  for_each_run(dy.rows, dy.cols, is_gapless, [&](Index r, Index n) {
    table.activation_backward(activation, n, y ? y.row(r) : nullptr, pre ? pre.row(r) : nullptr, dy.row(r),
                              dpre.row(r));
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
