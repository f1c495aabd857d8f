// Optimizer steps over n consecutive values, in one pass.
#include "tensor/kernels/optimizer/optimizer_table.hpp"
#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

f32x16 load(const float* x, Index lanes) {
  return lanes >= 16 ? f32x16::load(x) : f32x16::load_partial(x, lanes);
}
void store(f32x16 value, float* x, Index lanes) {
  if (lanes >= 16) {
    value.store(x);
  } else {
    value.store_partial(x, lanes);
  }
}

// State below 1e-30 in magnitude is 0 by definition: it would decay into subnormals and crawl.
f32x16 without_tiny(f32x16 state) { return zero_where_below(1e-30f, state); }

void rmsprop(const RmspropRule& rule, Index n, float* w, float* v, const float* g) {
  const f32x16 factor = f32x16::broadcast(rule.factor), rho = f32x16::broadcast(rule.rho),
               rest = f32x16::broadcast(1 - rule.rho), rate = f32x16::broadcast(rule.learning_rate),
               epsilon = f32x16::broadcast(rule.epsilon);
  for (Index i = 0; i < n; i += 16) {
    const f32x16 gradient = load(g + i, n - i) * factor;
    const f32x16 average = without_tiny(fma(rho, load(v + i, n - i), rest * (gradient * gradient)));
    const f32x16 root = rule.epsilon_inside ? sqrt(average + epsilon) : sqrt(average) + epsilon;
    store(average, v + i, n - i);
    store(load(w + i, n - i) - rate * gradient / root, w + i, n - i);
  }
}

void rmsprop_decay(float rho, Index n, float* v, Index times) {
  const f32x16 factor = f32x16::broadcast(rho);
  for (Index i = 0; i < n; i += 16) {
    f32x16 average = load(v + i, n - i);
    // Nothing of a float lasts longer than some thousand steps of a usual rho; then the loop could only
    // multiply zeros.
    for (Index step = 0; step < times; ++step) {
      if (step % 256 == 255 && reduce_max(average) == 0) break;
      average = without_tiny(factor * average);
    }
    store(average, v + i, n - i);
  }
}

void moving_average(float min_share, Index n, const float* w, float* average, Index begin, Index end) {
  // Four vectors side by side: the steps of one wait for each other.
  for (Index i = 0; i < n; i += 64) {
    f32x16 weight[4], mean[4];
    for (Index part = 0; part < 4; ++part) {
      const Index at = i + 16 * part, lanes = n - at;
      weight[part] = lanes > 0 ? load(w + at, lanes) : f32x16::broadcast(0);
      mean[part] = lanes > 0 ? load(average + at, lanes) : f32x16::broadcast(0);
    }
    for (Index step = begin; step < end; ++step) {
      const f32x16 share = f32x16::broadcast(moving_average_share(min_share, step));
      for (Index part = 0; part < 4; ++part) mean[part] = fma(share, weight[part] - mean[part], mean[part]);
    }
    for (Index part = 0; part < 4 && i + 16 * part < n; ++part)
      store(mean[part], average + i + 16 * part, n - i - 16 * part);
  }
}

void adam(const AdamRule& rule, Index n, float* w, float* m, float* v, const float* g) {
  const f32x16 factor = f32x16::broadcast(rule.factor), beta_1 = f32x16::broadcast(rule.beta_1),
               beta_2 = f32x16::broadcast(rule.beta_2), rest_1 = f32x16::broadcast(1 - rule.beta_1),
               rest_2 = f32x16::broadcast(1 - rule.beta_2), epsilon = f32x16::broadcast(rule.epsilon);
  const float root_2 = __builtin_sqrtf(rule.correction_2), rate = rule.learning_rate / rule.correction_1;
  // With epsilon hat the correction of v goes into the rate.
  const f32x16 step = f32x16::broadcast(rule.epsilon_hat ? rule.learning_rate * root_2 / rule.correction_1
                                                         : rate),
               correction = f32x16::broadcast(root_2),
               decay = f32x16::broadcast(-(rule.learning_rate * rule.decay));
  for (Index i = 0; i < n; i += 16) {
    const f32x16 gradient = load(g + i, n - i) * factor;
    const f32x16 first = without_tiny(fma(beta_1, load(m + i, n - i), rest_1 * gradient));
    const f32x16 second = without_tiny(fma(beta_2, load(v + i, n - i), rest_2 * (gradient * gradient)));
    const f32x16 root = (rule.epsilon_hat ? sqrt(second) : sqrt(second) / correction) + epsilon;
    f32x16 weight = load(w + i, n - i);
    if (rule.decay != 0) weight = fma(decay, weight, weight);
    store(first, m + i, n - i);
    store(second, v + i, n - i);
    store(weight - step * first / root, w + i, n - i);
  }
}

void sgd(const SgdRule& rule, Index n, float* w, float* m, const float* g) {
  const f32x16 factor = f32x16::broadcast(rule.factor), momentum = f32x16::broadcast(rule.momentum),
               rate = f32x16::broadcast(-rule.learning_rate);
  for (Index i = 0; i < n; i += 16) {
    const f32x16 move = rate * (load(g + i, n - i) * factor);
    const f32x16 step = m ? without_tiny(fma(momentum, load(m + i, n - i), move)) : move;
    if (m) store(step, m + i, n - i);
    store(load(w + i, n - i) + step, w + i, n - i);
  }
}

}  // namespace

extern const OptimizerTable optimizer_functions;
const OptimizerTable optimizer_functions{rmsprop, rmsprop_decay, moving_average, adam, sgd};

}  // namespace headwater::kernels::HEADWATER_ISA
