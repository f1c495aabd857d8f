#ifndef HEADWATER_DOUBLE

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/gemm_table.hpp"

namespace headwater::kernels {

namespace {

// body(row) for all rows, in tasks of about 16,384 values.
template <class Body>
void for_each_row(Index rows, Index cols, const Body& body) {
  const Index block = std::max<Index>(1, 16'384 / std::max<Index>(cols, 1));
  parallel_for((rows + block - 1) / block, [&](Index task) {
    for (Index r = task * block; r < std::min(rows, (task + 1) * block); ++r) body(r);
  });
}

}  // namespace

void activate(Activation activation, ConstMatrix x, Matrix y) {
  const GemmTable& table = gemm_table();
  for_each_row(x.rows, x.cols, [&](Index r) { table.activate(activation, x.cols, x.row(r), y.row(r)); });
}

void activation_backward(Activation activation, ConstMatrix y, ConstMatrix pre, ConstMatrix dy, Matrix dpre) {
  const GemmTable& table = gemm_table();
  for_each_row(dy.rows, dy.cols, [&](Index r) {
    table.activation_backward(activation, dy.cols, y ? y.row(r) : nullptr, pre ? pre.row(r) : nullptr,
                              dy.row(r), dpre.row(r));
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
