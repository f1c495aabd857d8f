// The slow, obviously right version: plain loops, std:: functions, no tiles and no fixed order of sums.
// Oracle of the float kernels and the kernels of the double build.
#pragma once

#include <algorithm>
#include <cmath>

#include "tensor/kernels/optimizer/optimizer.hpp"

namespace headwater::naive {

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
