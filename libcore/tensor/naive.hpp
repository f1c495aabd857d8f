// The slow, obviously right version of every kernel that is not a product with weights (naive_linear.hpp) or
// attention (naive_attention.hpp): plain loops, std:: functions, no tiles and no fixed order of sums. Oracle
// of the float kernels and the kernels of the double build. What each computes stands in kernels.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/kernels.hpp"
#include "tensor/naive_attention.hpp"

namespace headwater::naive {

// --- Norms
// ------------------------------------------------------------------------------------------------------------------
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

// --- Embedding
// ------------------------------------------------------------------------------------------------------------
template <class T>
void embed(std::span<const std::int32_t> ids, MatrixOf<const T> table, T scale,
           std::span<const std::int32_t> position_of, MatrixOf<const T> positions, MatrixOf<T> y) {
  for (Index t = 0; t < y.rows; ++t) {
    for (Index c = 0; c < y.cols; ++c) {
      y.row(t)[c] = table.row(ids[t])[c] * scale + (positions ? positions.row(position_of[t])[c] : T(0));
    }
  }
}

template <class T>
void embed_backward(std::span<const std::int32_t> ids, MatrixOf<const T> dy, T scale, MatrixOf<T> dtable,
                    bool accumulate) {
  if (!accumulate) {
    for (std::int32_t id : ids) std::fill_n(dtable.row(id), dtable.cols, T(0));
  }
  for (Index t = 0; t < dy.rows; ++t) {
    for (Index c = 0; c < dy.cols; ++c) dtable.row(ids[t])[c] += scale * dy.row(t)[c];
  }
}

// --- Elementwise
// ----------------------------------------------------------------------------------------------------------
// y[r][c] = f(r, c)
template <class T, class F>
void each(MatrixOf<T> y, const F& f) {
  for (Index r = 0; r < y.rows; ++r) {
    for (Index c = 0; c < y.cols; ++c) y.row(r)[c] = f(r, c);
  }
}

template <class T>
void dropout(MatrixOf<const T> x, Real rate, const RandomStream& stream, std::uint64_t first_element,
             MatrixOf<T> y, bool accumulate) {
  each(y, [&](Index r, Index c) {
    const bool is_kept = random_word(stream, first_element + static_cast<std::uint64_t>(r * y.cols + c)) >=
                         dropout_bound(rate);
    return (accumulate ? y.row(r)[c] : T(0)) + (is_kept ? x.row(r)[c] / (T(1) - T(rate)) : T(0));
  });
}

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
void argmax(MatrixOf<const T> x, std::span<const std::int32_t> skip, std::span<std::int32_t> best) {
  for (Index r = 0; r < x.rows; ++r) {
    std::int32_t at = -1;
    for (std::int32_t c = 0; c < x.cols; ++c) {
      const bool is_skipped = std::find(skip.begin(), skip.end(), c) != skip.end();
      if (!is_skipped && (at < 0 || x.row(r)[c] > x.row(r)[at])) at = c;
    }
    best[r] = at;
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

// --- Optimizers
// -------------------------------------------------------------------------------------------------------------
template <class T>
T without_tiny(T state) {
  return std::abs(state) < T(1e-30) ? T(0) : state;
}

template <class T>
void rmsprop(const kernels::RmspropRule& rule, Index n, T* w, T* v, const T* g) {
  for (Index i = 0; i < n; ++i) {
    const T gradient = T(rule.factor) * g[i];
    v[i] = without_tiny(T(rule.rho) * v[i] + (T(1) - T(rule.rho)) * gradient * gradient);
    const T root =
        rule.epsilon_inside ? std::sqrt(v[i] + T(rule.epsilon)) : std::sqrt(v[i]) + T(rule.epsilon);
    w[i] -= T(rule.learning_rate) * gradient / root;
  }
}

template <class T>
void rmsprop_decay(T rho, Index n, T* v, Index times) {
  for (Index i = 0; i < n; ++i) {
    for (Index step = 0; step < times; ++step) v[i] = without_tiny(rho * v[i]);
  }
}

template <class T>
void moving_average(float least_share, Index n, const T* w, T* average, Index begin, Index end) {
  for (Index i = 0; i < n; ++i) {
    for (Index t = begin; t < end; ++t)
      average[i] += T(kernels::moving_average_share(least_share, t)) * (w[i] - average[i]);
  }
}

template <class T>
void adam(const kernels::AdamRule& rule, Index n, T* w, T* m, T* v, const T* g) {
  for (Index i = 0; i < n; ++i) {
    const T gradient = T(rule.factor) * g[i];
    m[i] = without_tiny(T(rule.beta_1) * m[i] + (T(1) - T(rule.beta_1)) * gradient);
    v[i] = without_tiny(T(rule.beta_2) * v[i] + (T(1) - T(rule.beta_2)) * gradient * gradient);
    w[i] -= T(rule.learning_rate) * T(rule.decay) * w[i];
    const T corrected_m = m[i] / T(rule.correction_1), corrected_v = v[i] / T(rule.correction_2);
    // With epsilon hat the root is that of v itself: sqrt(v) + epsilon, over the root of the correction.
    const T root = rule.epsilon_hat ? (std::sqrt(v[i]) + T(rule.epsilon)) / std::sqrt(T(rule.correction_2))
                                    : std::sqrt(corrected_v) + T(rule.epsilon);
    w[i] -= T(rule.learning_rate) * corrected_m / root;
  }
}

template <class T>
void sgd(const kernels::SgdRule& rule, Index n, T* w, T* m, const T* g) {
  for (Index i = 0; i < n; ++i) {
    const T kept = m ? T(rule.momentum) * m[i] : T(0);
    const T step = without_tiny(kept - T(rule.learning_rate) * T(rule.factor) * g[i]);
    if (m) m[i] = step;
    w[i] += step;
  }
}

template <class T>
double sum_of_squares(Index n, const T* g) {
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += static_cast<double>(g[i]) * static_cast<double>(g[i]);
  return sum;
}

template <class T>
Index find_not_finite(Index n, const T* x) {
  const T* found = std::find_if(x, x + n, [](T value) { return !std::isfinite(value); });
  return found == x + n ? -1 : found - x;
}

}  // namespace headwater::naive
