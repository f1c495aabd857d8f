// The naive form of optimizer steps, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include <cmath>

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

namespace naive {

using kernels::array_of;
using Values = Eigen::Array<double, 1, Eigen::Dynamic>;

namespace {

Values without_tiny(const Values& state) { return (state.abs() < 1e-30).select(0, state); }

}  // namespace

void rmsprop(const kernels::RmspropRule& rule, Index n, double* w, double* v, const double* g) {
  const double rho = rule.rho, epsilon = rule.epsilon;
  const Values gradient = static_cast<double>(rule.factor) * array_of(g, n);
  const Values second = without_tiny(rho * array_of(v, n) + (1 - rho) * gradient.square());
  const Values root = rule.epsilon_inside ? Values((second + epsilon).sqrt()) : second.sqrt() + epsilon;
  array_of(v, n) = second;
  array_of(w, n) -= static_cast<double>(rule.learning_rate) * gradient / root;
}

void rmsprop_decay(double rho, Index n, double* v, Index times) {
  for (Index step = 0; step < times; ++step) array_of(v, n) = without_tiny(rho * array_of(v, n));
}

void moving_average(float min_share, Index n, const double* w, double* average, Index begin, Index end) {
  for (Index t = begin; t < end; ++t) {
    const double share = kernels::moving_average_share(min_share, t);
    array_of(average, n) += share * (array_of(w, n) - array_of(average, n));
  }
}

void adam(const kernels::AdamRule& rule, Index n, double* w, double* m, double* v, const double* g) {
  const double beta_1 = rule.beta_1, beta_2 = rule.beta_2, rate = rule.learning_rate, epsilon = rule.epsilon,
               correction_1 = rule.correction_1, correction_2 = rule.correction_2;
  const Values gradient = static_cast<double>(rule.factor) * array_of(g, n);
  const Values first = without_tiny(beta_1 * array_of(m, n) + (1 - beta_1) * gradient);
  const Values second = without_tiny(beta_2 * array_of(v, n) + (1 - beta_2) * gradient.square());
  // With epsilon hat the root is that of v itself: sqrt(v) + epsilon, over the root of the correction.
  const Values root = rule.epsilon_hat ? Values((second.sqrt() + epsilon) / std::sqrt(correction_2))
                                       : Values((second / correction_2).sqrt() + epsilon);
  array_of(m, n) = first;
  array_of(v, n) = second;
  array_of(w, n) -= rate * static_cast<double>(rule.decay) * array_of(w, n);
  array_of(w, n) -= rate * (first / correction_1) / root;
}

void sgd(const kernels::SgdRule& rule, Index n, double* w, double* m, const double* g) {
  const double rate = static_cast<double>(rule.learning_rate) * static_cast<double>(rule.factor);
  Values step = -rate * array_of(g, n);
  if (m) step += static_cast<double>(rule.momentum) * array_of(m, n);
  step = without_tiny(step);
  if (m) array_of(m, n) = step;
  array_of(w, n) += step;
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void rmsprop(const RmspropRule& rule, Index n, Real* w, Real* v, const Real* g) {
  naive::rmsprop(rule, n, w, v, g);
}
void rmsprop_decay(float rho, Index n, Real* v, Index times) {
  naive::rmsprop_decay(static_cast<double>(rho), n, v, times);
}
void moving_average(float min_share, Index n, const Real* w, Real* average, Index begin, Index end) {
  naive::moving_average(min_share, n, w, average, begin, end);
}
void adam(const AdamRule& rule, Index n, Real* w, Real* m, Real* v, const Real* g) {
  naive::adam(rule, n, w, m, v, g);
}
void sgd(const SgdRule& rule, Index n, Real* w, Real* m, const Real* g) { naive::sgd(rule, n, w, m, g); }

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
