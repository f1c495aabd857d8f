// Products of sparse rows with a weight: sums column by column, a product and a sum at a time (no fma);
// nothing is summed across columns.
#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/eigen_map.hpp"
#include "tensor/kernels/embedding/embedding.hpp"

namespace headwater::kernels {

namespace {

constexpr Index kRows = 8;  // of a task

// body(row, first entry, end) for all rows.
template <class Body>
void for_each_row(std::span<const Index> offsets, const Body& body) {
  const Index rows = static_cast<Index>(offsets.size()) - 1;
  parallel_for((rows + kRows - 1) / kRows, [&](Index task) {
    for (Index s = task * kRows; s < std::min(rows, (task + 1) * kRows); ++s)
      body(s, offsets[s], offsets[s + 1]);
  });
}

}  // namespace

void sparse_linear(std::span<const std::int32_t> ids, std::span<const Real> values,
                   std::span<const Index> offsets, ConstMatrix w, const Real* bias, Matrix y) {
  for_each_row(offsets, [&](Index s, Index begin, Index end) {
    auto sum = array_of(y.row(s), y.cols);
    sum = 0;
    for (Index e = begin; e < end; ++e) {
      const std::size_t entry = e;
      sum += values[entry] * array_of(w.row(ids[entry]), y.cols);
    }
    sum += array_of(bias, y.cols);
  });
}

void sparse_linear_backward(std::span<const Real> values, std::span<const Index> offsets, ConstMatrix dy,
                            Matrix dentries) {
  for_each_row(offsets, [&](Index s, Index begin, Index end) {
    for (Index e = begin; e < end; ++e)
      array_of(dentries.row(e), dy.cols) = values[e] * array_of(dy.row(s), dy.cols);
  });
}

}  // namespace headwater::kernels
