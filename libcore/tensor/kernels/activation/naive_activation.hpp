// The slow, obviously right version: plain loops, std:: functions, no tiles and no fixed order of sums.
// Oracle of the float kernels and the kernels of the double build.
#pragma once

#include <cmath>
#include <numbers>

#include "tensor/kernels/activation/activation.hpp"

namespace headwater::naive {

using kernels::Activation;

template <class T>
T activate(Activation activation, T x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x > 0 ? x : T(0);
    case Activation::gelu:
      return T(0.5) * x * (1 + std::erf(x / std::numbers::sqrt2_v<T>));
    case Activation::gelu_tanh: {
      const T inner = std::sqrt(2 / std::numbers::pi_v<T>) * (x + T(0.044715) * x * x * x);
      return T(0.5) * x * (1 + std::tanh(inner));
    }
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
  }
  return x;
}

// The derivative; relu, tanh and sigmoid from y, gelu and silu from x.
template <class T>
T activation_slope(Activation activation, T y, T x) {
  switch (activation) {
    case Activation::none:
      return 1;
    case Activation::relu:
      return y > 0 ? T(1) : T(0);
    case Activation::gelu: {
      const T density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi_v<T>);
      return T(0.5) * (1 + std::erf(x / std::numbers::sqrt2_v<T>)) + x * density;
    }
    case Activation::gelu_tanh: {
      const T factor = std::sqrt(2 / std::numbers::pi_v<T>);
      const T t = std::tanh(factor * (x + T(0.044715) * x * x * x));
      return T(0.5) * (1 + t) + T(0.5) * x * (1 - t * t) * factor * (1 + 3 * T(0.044715) * x * x);
    }
    case Activation::silu: {
      const T s = 1 / (1 + std::exp(-x));
      return s * (1 + x * (1 - s));
    }
    case Activation::tanh:
      return 1 - y * y;
    case Activation::sigmoid:
      return y * (1 - y);
  }
  return 1;
}

template <class T>
void activation_backward(Activation activation, MatrixOf<const T> y, MatrixOf<const T> pre,
                         MatrixOf<const T> dy, MatrixOf<T> dpre) {
  for (Index t = 0; t < dy.rows; ++t) {
    for (Index c = 0; c < dy.cols; ++c) {
      dpre.row(t)[c] =
          dy.row(t)[c] * activation_slope(activation, y ? y.row(t)[c] : T(0), pre ? pre.row(t)[c] : T(0));
    }
  }
}

}  // namespace headwater::naive
