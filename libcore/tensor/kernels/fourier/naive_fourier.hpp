// The slow, obviously right version: plain loops, std:: functions, no tiles and no fixed order of sums.
// Oracle of the float kernels and the kernels of the double build.
#pragma once

#include <cmath>
#include <vector>

#include "tensor/kernels/fourier/fourier.hpp"

namespace headwater::naive {

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
