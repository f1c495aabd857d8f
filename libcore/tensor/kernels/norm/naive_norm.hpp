// The slow, obviously right version: plain loops, std:: functions, no tiles and no fixed order of sums.
// Oracle of the float kernels and the kernels of the double build.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/kernels/norm/norm.hpp"

namespace headwater::naive {

template <class T>
void layer_norm(MatrixOf<const T> x, MatrixOf<const T> residual, const T* gamma, const T* beta, T epsilon,
                MatrixOf<T> sum, MatrixOf<T> y, MatrixOf<T> moments) {
  const Index D = x.cols;
  std::vector<T> row(static_cast<std::size_t>(D));
  for (Index t = 0; t < x.rows; ++t) {
    T mean = 0, variance = 0;
    for (Index c = 0; c < D; ++c) mean += row[c] = x.row(t)[c] + (residual ? residual.row(t)[c] : T(0));
    mean /= T(D);
    for (T value : row) variance += (value - mean) * (value - mean);
    const T inverse = T(1) / std::sqrt(variance / T(D) + epsilon);
    for (Index c = 0; c < D; ++c) y.row(t)[c] = gamma[c] * ((row[c] - mean) * inverse) + beta[c];
    if (sum) std::copy(row.begin(), row.end(), sum.row(t));
    if (moments) {
      moments.row(t)[0] = mean;
      moments.row(t)[1] = inverse;
    }
  }
}

// x̂ = (x - mean)·inverse and g = gamma·dy give dx = inverse (g - mean(g) - x̂ mean(g x̂)); Ba et al. 2016.
template <class T>
void layer_norm_backward(MatrixOf<const T> x, MatrixOf<const T> moments, const T* gamma, MatrixOf<const T> dy,
                         MatrixOf<T> dx, bool accumulate_dx, T* dgamma, T* dbeta,
                         bool accumulate_parameters) {
  const Index D = x.cols;
  if (!accumulate_parameters) {
    std::fill_n(dgamma, D, T(0));
    std::fill_n(dbeta, D, T(0));
  }
  for (Index t = 0; t < x.rows; ++t) {
    const T mean = moments.row(t)[0], inverse = moments.row(t)[1];
    T mean_g = 0, mean_gx = 0;
    for (Index c = 0; c < D; ++c) {
      const T normed = (x.row(t)[c] - mean) * inverse, g = gamma[c] * dy.row(t)[c];
      mean_g += g / T(D);
      mean_gx += g * normed / T(D);
    }
    for (Index c = 0; c < D; ++c) {
      const T normed = (x.row(t)[c] - mean) * inverse, cotangent = dy.row(t)[c];
      const T gradient = inverse * (gamma[c] * cotangent - mean_g - normed * mean_gx);
      dx.row(t)[c] = gradient + (accumulate_dx ? dx.row(t)[c] : T(0));
      dgamma[c] += cotangent * normed;
      dbeta[c] += cotangent;
    }
  }
}

}  // namespace headwater::naive
