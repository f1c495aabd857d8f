// The slow, obviously right version of products with weights, activations and the cross-entropy: plain loops
// and std:: functions. Oracle of the float kernels and the kernels of the double build. What each computes
// stands in kernels.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tensor/kernels.hpp"

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

// w is [I, O], or [O, I] if transposed.
template <class T>
void linear(MatrixOf<const T> x, MatrixOf<const T> w, bool is_transposed, const T* bias,
            Activation activation, MatrixOf<T> y, MatrixOf<T> pre) {
  for (Index t = 0; t < x.rows; ++t) {
    for (Index o = 0; o < y.cols; ++o) {
      T sum = 0;
      for (Index i = 0; i < x.cols; ++i) sum += x.row(t)[i] * (is_transposed ? w.row(o)[i] : w.row(i)[o]);
      if (bias) sum += bias[o];
      if (pre) pre.row(t)[o] = sum;
      y.row(t)[o] = activate(activation, sum);
    }
  }
}

template <class T>
void linear_backward_input(MatrixOf<const T> dy, MatrixOf<const T> w, MatrixOf<T> dx, bool accumulate) {
  for (Index t = 0; t < dy.rows; ++t) {
    for (Index i = 0; i < dx.cols; ++i) {
      T sum = 0;
      for (Index o = 0; o < dy.cols; ++o) sum += dy.row(t)[o] * w.row(i)[o];
      dx.row(t)[i] = (accumulate ? dx.row(t)[i] : T(0)) + sum;
    }
  }
}

template <class T>
void linear_backward_weight(MatrixOf<const T> x, MatrixOf<const T> dy, MatrixOf<T> dw, T* db,
                            bool accumulate) {
  for (Index i = 0; i < x.cols; ++i) {
    for (Index o = 0; o < dy.cols; ++o) {
      T sum = 0;
      for (Index t = 0; t < x.rows; ++t) sum += x.row(t)[i] * dy.row(t)[o];
      dw.row(i)[o] = (accumulate ? dw.row(i)[o] : T(0)) + sum;
    }
  }
  for (Index o = 0; db && o < dy.cols; ++o) {
    T sum = 0;
    for (Index t = 0; t < dy.rows; ++t) sum += dy.row(t)[o];
    db[o] = (accumulate ? db[o] : T(0)) + sum;
  }
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

// Loss of one row of logits; with `gradient` also its derivative. q = (1 - smoothing)·onehot + smoothing/V;
// dlogits = softmax - q.
template <class T>
T cross_entropy_row(const T* logits, Index V, std::int32_t label, T smoothing, T* gradient) {
  const T largest = *std::max_element(logits, logits + V);
  T sum = 0, mean = 0;
  for (Index v = 0; v < V; ++v) {
    sum += std::exp(logits[v] - largest);
    mean += logits[v] / T(V);
  }
  const T log_sum = largest + std::log(sum);
  for (Index v = 0; gradient && v < V; ++v) {
    gradient[v] = std::exp(logits[v] - log_sum) - smoothing / T(V) - (v == label ? 1 - smoothing : T(0));
  }
  return log_sum - (1 - smoothing) * logits[label] - smoothing * mean;
}

template <class T>
struct CrossEntropyGradients {
  MatrixOf<T> dh, dw;
  T* db = nullptr;
  bool accumulate_weight = false, accumulate_bias = false;
};

template <class T>
kernels::CrossEntropyTotals linear_cross_entropy(MatrixOf<const T> h, MatrixOf<const T> w, bool is_transposed,
                                                 const T* bias, std::span<const std::int32_t> labels,
                                                 T smoothing, T loss_scale,
                                                 const CrossEntropyGradients<T>* gradients) {
  const Index V = is_transposed ? w.rows : w.cols, D = h.cols;
  std::vector<T> logits(static_cast<std::size_t>(h.rows * V)), slopes(logits.size());
  linear<T>(h, w, is_transposed, bias, Activation::none, {logits.data(), h.rows, V}, {});
  kernels::CrossEntropyTotals totals;
  totals.tokens = h.rows;
  for (Index t = 0; t < h.rows; ++t) {
    const T* row = logits.data() + t * V;
    const std::int32_t label = labels[static_cast<std::size_t>(t)];
    totals.loss += static_cast<double>(cross_entropy_row(row, V, label, smoothing, slopes.data() + t * V));
    totals.correct += std::max_element(row, row + V) - row == label;
  }
  if (!gradients) return totals;
  for (T& slope : slopes) slope *= loss_scale;
  const MatrixOf<const T> d(slopes.data(), h.rows, V);
  if (is_transposed) {
    linear<T>(d, w, false, nullptr, Activation::none, gradients->dh, {});
    linear_backward_weight<T>(d, h, gradients->dw, nullptr, gradients->accumulate_weight);
    for (Index v = 0; gradients->db && v < V; ++v) {
      T sum = gradients->accumulate_bias ? gradients->db[v] : T(0);
      for (Index t = 0; t < h.rows; ++t) sum += d.row(t)[v];
      gradients->db[v] = sum;
    }
  } else {
    linear_backward_input<T>(d, w, gradients->dh, false);
    linear_backward_weight<T>(h, d, gradients->dw, gradients->db, gradients->accumulate_weight);
  }
  (void)D;
  return totals;
}

}  // namespace headwater::naive
