// Products of sparse rows with a weight: sums column by column, which the compiler vectorises; nothing is
// summed across columns.
#include <algorithm>

#include "support/parallel.hpp"
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
      body(s, offsets[static_cast<std::size_t>(s)], offsets[static_cast<std::size_t>(s) + 1]);
  });
}

}  // namespace

void sparse_linear(std::span<const std::int32_t> ids, std::span<const Real> values,
                   std::span<const Index> offsets, ConstMatrix w, const Real* bias, Matrix y) {
  for_each_row(offsets, [&](Index s, Index begin, Index end) {
    Real* const to = y.row(s);
    std::fill_n(to, y.cols, Real(0));
    for (Index e = begin; e < end; ++e) {
      const Real value = values[static_cast<std::size_t>(e)];
      const Real* const row = w.row(ids[static_cast<std::size_t>(e)]);
      for (Index c = 0; c < y.cols; ++c) to[c] += value * row[c];
    }
    for (Index c = 0; c < y.cols; ++c) to[c] += bias[c];
  });
}

void sparse_linear_backward(std::span<const Real> values, std::span<const Index> offsets, ConstMatrix dy,
                            Matrix dentries) {
  for_each_row(offsets, [&](Index s, Index begin, Index end) {
    for (Index e = begin; e < end; ++e) {
      const Real value = values[static_cast<std::size_t>(e)];
      for (Index c = 0; c < dy.cols; ++c) dentries.row(e)[c] = value * dy.row(s)[c];
    }
  });
}

}  // namespace headwater::kernels
