// The slow, obviously right version of what works on whole sequences: pooling, picking rows and Fourier
// mixing. Oracle of the float kernels and the kernels of the double build. What each computes stands in
// kernels.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/kernels.hpp"

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

// Two sums of products with e^(-2πi jk/n), first over the width, then over the tokens.
template <class T>
void fourier_mix(MatrixOf<const T> x, std::span<const Index> offsets, MatrixOf<T> y, bool accumulate) {
  const T circle = T(6.283185307179586476925286766559);
  const Index D = x.cols;
  for (Index s = 0; s + 1 < static_cast<Index>(offsets.size()); ++s) {
    const Index begin = offsets[static_cast<std::size_t>(s)];
    const Index n = offsets[static_cast<std::size_t>(s) + 1] - begin;
    std::vector<T> re(static_cast<std::size_t>(n * D)), im(re.size());
    for (Index t = 0; t < n; ++t) {
      for (Index l = 0; l < D; ++l) {
        for (Index c = 0; c < D; ++c) {
          const T angle = circle * T(c * l % D) / T(D);
          re[static_cast<std::size_t>(t * D + l)] += x.row(begin + t)[c] * std::cos(angle);
          im[static_cast<std::size_t>(t * D + l)] -= x.row(begin + t)[c] * std::sin(angle);
        }
      }
    }
    for (Index k = 0; k < n; ++k) {
      for (Index l = 0; l < D; ++l) {
        T sum = 0;
        for (Index t = 0; t < n; ++t) {
          const T angle = circle * T(t * k % n) / T(n);
          sum += re[static_cast<std::size_t>(t * D + l)] * std::cos(angle) +
                 im[static_cast<std::size_t>(t * D + l)] * std::sin(angle);
        }
        y.row(begin + k)[l] = accumulate ? y.row(begin + k)[l] + sum : sum;
      }
    }
  }
}

}  // namespace headwater::naive
