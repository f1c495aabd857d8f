// The naive form of pooling and picking rows, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

namespace naive {

using kernels::array_of;
using kernels::Pooling;

namespace {

// f(sequence, first token, end)
template <class F>
void for_each_sequence(std::span<const Index> offsets, const F& f) {
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) f(static_cast<Index>(s), offsets[s], offsets[s + 1]);
}

}  // namespace

void pool(Pooling pooling, ConstMatrix x, std::span<const Index> offsets, Matrix y, std::int32_t* winners) {
  for_each_sequence(offsets, [&](Index s, Index begin, Index end) {
    for (Index c = 0; c < x.cols; ++c) {
      Index row = -1;
      y.row(s)[c] = 0;
      if (begin < end) {
        const auto column = array_of(x).col(c).segment(begin, end - begin);
        row = 0;
        if (pooling == Pooling::last) {
          row = end - begin - 1;
        } else if (pooling != Pooling::first) {
          column.maxCoeff(&row);  // the first of equals
        }
        y.row(s)[c] = pooling == Pooling::mean ? column.mean() : column[row];
        row += begin;
      }
      if (winners) winners[s * x.cols + c] = static_cast<std::int32_t>(row);
    }
  });
}

void pool_backward(Pooling pooling, ConstMatrix dy, std::span<const Index> offsets,
                   const std::int32_t* winners, Matrix dx, bool accumulate) {
  if (!accumulate) array_of(dx) = 0;
  for_each_sequence(offsets, [&](Index s, Index begin, Index end) {
    if (begin == end) return;
    const auto gradient = array_of(dy).row(s);
    if (pooling == Pooling::mean) {
      array_of(dx.rows_between(begin, end)).rowwise() += gradient / static_cast<double>(end - begin);
    } else if (pooling == Pooling::first || pooling == Pooling::last) {
      array_of(dx).row(pooling == Pooling::first ? begin : end - 1) += gradient;
    } else {
      for (Index c = 0; c < dx.cols; ++c) dx.row(winners[s * dx.cols + c])[c] += gradient[c];
    }
  });
}

void take_rows(ConstMatrix x, std::span<const std::int32_t> rows, Matrix y) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    array_of(y).row(static_cast<Index>(i)) = array_of(x).row(rows[i]);
}

void take_rows_backward(ConstMatrix dy, std::span<const std::int32_t> rows, Matrix dx, bool accumulate) {
  if (!accumulate) array_of(dx) = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    array_of(dx).row(rows[i]) += array_of(dy).row(static_cast<Index>(i));
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void pool(Pooling pooling, ConstMatrix x, std::span<const Index> offsets, Matrix y, std::int32_t* winners) {
  naive::pool(pooling, x, offsets, y, winners);
}
void pool_backward(Pooling pooling, ConstMatrix dy, std::span<const Index> offsets,
                   const std::int32_t* winners, Matrix dx, bool accumulate) {
  naive::pool_backward(pooling, dy, offsets, winners, dx, accumulate);
}
void take_rows(ConstMatrix x, std::span<const std::int32_t> rows, Matrix y) { naive::take_rows(x, rows, y); }
void take_rows_backward(ConstMatrix dy, std::span<const std::int32_t> rows, Matrix dx, bool accumulate) {
  naive::take_rows_backward(dy, rows, dx, accumulate);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
