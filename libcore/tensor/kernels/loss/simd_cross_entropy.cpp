// Cross-entropy of one row of logits and its gradient; maximum and sums by the 16-lane rule.
#include "tensor/kernels/loss/loss_table.hpp"
#include "tensor/simd_math.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

constexpr float kInfinity = __builtin_inff();

// The last, shorter group filled with `missing`.
f32x16 load_tail(const float* x, Index lanes, float missing) {
  return first_lanes(lanes, f32x16::load_partial(x, lanes), f32x16::broadcast(missing));
}

float maximum(const float* x, Index n) {
  f32x16 most = f32x16::broadcast(-kInfinity);
  Index i = 0;
  for (; i + 16 <= n; i += 16) most = max(f32x16::load(x + i), most);
  if (i < n) most = max(load_tail(x + i, n - i, -kInfinity), most);
  return reduce_max(most);
}

float sum_of(const float* x, Index n) {
  f32x16 sum = f32x16::zero();
  Index i = 0;
  for (; i + 16 <= n; i += 16) sum = sum + f32x16::load(x + i);
  if (i < n) sum = sum + f32x16::load_partial(x + i, n - i);
  return reduce_add(sum);
}

// Σ exp(x - shift); with `to` the terms are kept.
float sum_of_exponentials(const float* x, Index n, float shift, float* to) {
  const f32x16 s = f32x16::broadcast(shift);
  f32x16 sum = f32x16::zero();
  Index i = 0;
  for (; i + 16 <= n; i += 16) {
    const f32x16 e = exp(f32x16::load(x + i) - s);
    if (to) e.store(to + i);
    sum = sum + e;
  }
  if (i < n) {
    const f32x16 e = exp(load_tail(x + i, n - i, -kInfinity) - s);
    if (to) e.store_partial(to + i, n - i);
    sum = sum + e;
  }
  return reduce_add(sum);
}

bool is_first_largest(const float* x, Index label, float largest) {
  if (!(x[label] == largest)) return false;
  for (Index i = 0; i < label; ++i) {
    if (x[i] == largest) return false;
  }
  return true;
}

// q = (1 - smoothing)·onehot + smoothing/V; loss = ln Σ exp(x) - Σ q x; gradient (softmax(x) - q)·scale.
CrossEntropyValue cross_entropy(const CrossEntropyRow& row) {
  float* x = row.logits;
  const float largest = maximum(x, row.count), of_label = x[row.label];
  const float spread = row.smoothing / static_cast<float>(row.count);
  const double mean =
      row.smoothing > 0 ? static_cast<double>(sum_of(x, row.count)) / static_cast<double>(row.count) : 0;
  const bool is_correct = is_first_largest(x, row.label, largest);
  const float sum = sum_of_exponentials(x, row.count, largest, row.wants_gradient ? x : nullptr);
  const double log_sum =
      static_cast<double>(largest) + static_cast<double>(first_lane(log(f32x16::broadcast(sum))));
  const double smoothing = static_cast<double>(row.smoothing);
  const double loss = log_sum - (1 - smoothing) * static_cast<double>(of_label) - smoothing * mean;
  if (row.wants_gradient) {
    const float rate = row.scale / sum, from_all = spread * row.scale;
    const float own = x[row.label];
    const f32x16 factor = f32x16::broadcast(rate), less_all = f32x16::broadcast(-from_all);
    Index i = 0;
    for (; i + 16 <= row.count; i += 16) fma(f32x16::load(x + i), factor, less_all).store(x + i);
    if (i < row.count) {
      fma(f32x16::load_partial(x + i, row.count - i), factor, less_all).store_partial(x + i, row.count - i);
    }
    x[row.label] = (own / sum - (1 - row.smoothing) - spread) * row.scale;
  }
  return {loss, is_correct};
}

}  // namespace

extern const CrossEntropyTable cross_entropy_functions;
const CrossEntropyTable cross_entropy_functions{cross_entropy};

}  // namespace headwater::kernels::HEADWATER_ISA
