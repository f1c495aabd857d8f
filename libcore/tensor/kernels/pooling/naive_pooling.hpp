// The slow, obviously right version: plain loops, std:: functions, no tiles and no fixed order of sums.
// Oracle of the float kernels and the kernels of the double build.
#pragma once

#include <algorithm>

#include "tensor/kernels/pooling/pooling.hpp"

namespace headwater::naive {

template <class T>
void pool(kernels::Pooling pooling, MatrixOf<const T> x, std::span<const Index> offsets, MatrixOf<T> y,
          std::int32_t* winners) {
  for (Index s = 0; s + 1 < static_cast<Index>(offsets.size()); ++s) {
    const Index begin = offsets[static_cast<std::size_t>(s)], end = offsets[static_cast<std::size_t>(s) + 1];
    for (Index c = 0; c < x.cols; ++c) {
      Index winner = begin;
      T sum = 0;
      for (Index t = begin; t < end; ++t) {
        if (x.row(t)[c] > x.row(winner)[c]) winner = t;
        sum += x.row(t)[c];
      }
      if (pooling == kernels::Pooling::mean) {
        y.row(s)[c] = begin == end ? T(0) : sum / T(end - begin);
      } else {
        if (pooling == kernels::Pooling::first) winner = begin;
        y.row(s)[c] = begin == end ? T(0) : x.row(winner)[c];
      }
      if (winners) winners[s * x.cols + c] = begin == end ? -1 : static_cast<std::int32_t>(winner);
    }
  }
}

template <class T>
void pool_backward(kernels::Pooling pooling, MatrixOf<const T> dy, std::span<const Index> offsets,
                   const std::int32_t* winners, MatrixOf<T> dx, bool accumulate) {
  for (Index s = 0; s + 1 < static_cast<Index>(offsets.size()); ++s) {
    const Index begin = offsets[static_cast<std::size_t>(s)], end = offsets[static_cast<std::size_t>(s) + 1];
    for (Index t = begin; t < end; ++t) {
      for (Index c = 0; c < dx.cols; ++c) {
        T share = 0;
        if (pooling == kernels::Pooling::mean) share = dy.row(s)[c] / T(end - begin);
        if (pooling == kernels::Pooling::first && t == begin) share = dy.row(s)[c];
        if (pooling == kernels::Pooling::max && winners[s * dx.cols + c] == t) share = dy.row(s)[c];
        dx.row(t)[c] = accumulate ? dx.row(t)[c] + share : share;
      }
    }
  }
}

template <class T>
void take_rows(MatrixOf<const T> x, std::span<const std::int32_t> rows, MatrixOf<T> y) {
  for (Index i = 0; i < y.rows; ++i) {
    for (Index c = 0; c < y.cols; ++c) y.row(i)[c] = x.row(rows[static_cast<std::size_t>(i)])[c];
  }
}

template <class T>
void take_rows_backward(MatrixOf<const T> dy, std::span<const std::int32_t> rows, MatrixOf<T> dx,
                        bool accumulate) {
  for (Index t = 0; t < dx.rows && !accumulate; ++t) std::fill_n(dx.row(t), dx.cols, T(0));
  for (Index i = 0; i < dy.rows; ++i) {
    for (Index c = 0; c < dy.cols; ++c) dx.row(rows[static_cast<std::size_t>(i)])[c] += dy.row(i)[c];
  }
}

}  // namespace headwater::naive
