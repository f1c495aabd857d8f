// Optimizers: one pass over n values; g is read only. Optimizer state below 1e-30 in magnitude is set to 0.
// `factor` multiplies the gradient first (clipping; 1: none).
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

struct RmspropRule {
  float learning_rate, rho, epsilon, factor;
  bool epsilon_inside;
};
void rmsprop(const RmspropRule& rule, Index n, Real* w, Real* v, const Real* g);
// v := rho^times · v exactly as `times` steps with a zero gradient leave it (w does not change then).
void rmsprop_decay(float rho, Index n, Real* v, Index times);
// average += share(t) · (w - average) for the steps t of [begin, end), counted from 1, during which w did not
// change. The share is `min_share`, 1 - decay, and larger in the first steps, so that the first weights are
// soon forgotten: at least 9 / (10 + t).
constexpr float moving_average_share(float min_share, Index t) {
  const float early = 9.0f / static_cast<float>(10 + t);
  return early > min_share ? early : min_share;
}
void moving_average(float min_share, Index n, const Real* w, Real* average, Index begin, Index end);
struct AdamRule {
  float learning_rate, beta_1, beta_2, epsilon, factor;
  float correction_1, correction_2;  // 1 - beta_1^t, 1 - beta_2^t
  bool epsilon_hat;  // epsilon added to the root of the uncorrected second moment (Kingma & Ba 2015, end of
                     // sec. 2)
  float decay;       // AdamW: w -= learning_rate · decay · w before the step; 0: Adam
};
void adam(const AdamRule& rule, Index n, Real* w, Real* m, Real* v, const Real* g);
struct SgdRule {
  float learning_rate, momentum, factor;
};
// m = momentum·m - learning_rate·g; w += m (m may be null where momentum is 0)
void sgd(const SgdRule& rule, Index n, Real* w, Real* m, const Real* g);

}  // namespace headwater::kernels
