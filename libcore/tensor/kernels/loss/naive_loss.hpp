// The slow, obviously right version: plain loops, std:: functions, no tiles and no fixed order of sums.
// Oracle of the float kernels and the kernels of the double build.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tensor/kernels/gemm/naive_gemm.hpp"
#include "tensor/kernels/loss/loss.hpp"

namespace headwater::naive {

template <class T>
void softmax(MatrixOf<const T> x, MatrixOf<T> y) {
  for (Index r = 0; r < x.rows; ++r) {
    T m = -std::numeric_limits<T>::infinity(), l = 0;
    for (Index c = 0; c < x.cols; ++c) m = std::max(m, x.row(r)[c]);
    for (Index c = 0; c < x.cols; ++c) l += y.row(r)[c] = std::exp(x.row(r)[c] - m);
    for (Index c = 0; c < x.cols; ++c) y.row(r)[c] /= l;
  }
}

template <class T>
void softmax_backward(MatrixOf<const T> y, MatrixOf<const T> dy, MatrixOf<T> dx, bool accumulate) {
  for (Index r = 0; r < y.rows; ++r) {
    T mean = 0;
    for (Index c = 0; c < y.cols; ++c) mean += y.row(r)[c] * dy.row(r)[c];
    for (Index c = 0; c < y.cols; ++c) {
      dx.row(r)[c] = y.row(r)[c] * (dy.row(r)[c] - mean) + (accumulate ? dx.row(r)[c] : T(0));
    }
  }
}

template <class T>
void log_sum_exp(MatrixOf<const T> x, T* y) {
  for (Index r = 0; r < x.rows; ++r) {
    T m = -std::numeric_limits<T>::infinity(), l = 0;
    for (Index c = 0; c < x.cols; ++c) m = std::max(m, x.row(r)[c]);
    for (Index c = 0; c < x.cols; ++c) l += std::exp(x.row(r)[c] - m);
    y[r] = m + std::log(l);
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
  bool accumulate_parameters = false;
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
    linear_backward_weight<T>(d, h, gradients->dw, nullptr, gradients->accumulate_parameters);
    for (Index v = 0; gradients->db && v < V; ++v) {
      T sum = gradients->accumulate_parameters ? gradients->db[v] : T(0);
      for (Index t = 0; t < h.rows; ++t) sum += d.row(t)[v];
      gradients->db[v] = sum;
    }
  } else {
    linear_backward_input<T>(d, w, gradients->dh, false);
    linear_backward_weight<T>(h, d, gradients->dw, gradients->db, gradients->accumulate_parameters);
  }
  (void)D;
  return totals;
}

}  // namespace headwater::naive
