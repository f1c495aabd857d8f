// Softmax of a row, its gradient, and what else is asked of a row of logits; sums by the 16-lane rule.
#include "tensor/kernels/row_tables.hpp"
#include "tensor/simd_math.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

constexpr float kInfinity = __builtin_inff();

F16 load_or(const float* x, Index lanes, float missing) {
  return lanes >= 16 ? F16::load(x)
                     : first_lanes(lanes, F16::load_partial(x, lanes), F16::broadcast(missing));
}
void store(F16 value, float* x, Index lanes) {
  if (lanes >= 16) {
    value.store(x);
  } else {
    value.store_partial(x, lanes);
  }
}

float maximum(const float* x, Index n) {
  F16 most = F16::broadcast(-kInfinity);
  for (Index i = 0; i < n; i += 16) most = max(most, load_or(x + i, n - i, -kInfinity));
  return reduce_max(most);
}

void softmax(Index n, const float* x, float* y) {
  const F16 shift = F16::broadcast(maximum(x, n));
  F16 sum = F16::zero();
  for (Index i = 0; i < n; i += 16) {
    const F16 e = exp(load_or(x + i, n - i, -kInfinity) - shift);
    store(e, y + i, n - i);
    sum = sum + e;
  }
  const F16 total = F16::broadcast(reduce_add(sum));
  for (Index i = 0; i < n; i += 16) store(load_or(y + i, n - i, 0) / total, y + i, n - i);
}

void softmax_backward(Index n, const float* y, const float* dy, float* dx, bool accumulate) {
  F16 sum = F16::zero();
  for (Index i = 0; i < n; i += 16) sum = fma(load_or(y + i, n - i, 0), load_or(dy + i, n - i, 0), sum);
  const F16 mean = F16::broadcast(reduce_add(sum));
  for (Index i = 0; i < n; i += 16) {
    F16 gradient = load_or(y + i, n - i, 0) * (load_or(dy + i, n - i, 0) - mean);
    if (accumulate) gradient = load_or(dx + i, n - i, 0) + gradient;
    store(gradient, dx + i, n - i);
  }
}

float log_sum_exp(Index n, const float* x) {
  const float most = maximum(x, n);
  const F16 shift = F16::broadcast(most);
  F16 sum = F16::zero();
  for (Index i = 0; i < n; i += 16) sum = sum + exp(load_or(x + i, n - i, -kInfinity) - shift);
  return most + first_lane(log(F16::broadcast(reduce_add(sum))));
}

// The maximum of each chunk finds the one chunk that must be searched value by value.
std::int32_t argmax(Index n, const float* x, const std::int32_t* skip, Index skips) {
  constexpr Index kChunk = 256;
  Index best = -1;
  for (Index begin = 0; begin < n; begin += kChunk) {
    const Index end = begin + kChunk < n ? begin + kChunk : n;
    bool has_skipped = false;
    for (Index s = 0; s < skips; ++s) has_skipped = has_skipped || (skip[s] >= begin && skip[s] < end);
    if (!has_skipped && best >= 0 && !(maximum(x + begin, end - begin) > x[best])) continue;
    for (Index c = begin; c < end; ++c) {
      bool is_skipped = false;
      for (Index s = 0; has_skipped && s < skips; ++s) is_skipped = is_skipped || skip[s] == c;
      if (!is_skipped && (best < 0 || x[c] > x[best])) best = c;
    }
  }
  return static_cast<std::int32_t>(best);
}

Largest largest(Index n, const float* x) {
  F16 most[4];
  for (F16& part : most) part = F16::broadcast(-kInfinity);
  Index i = 0;
  for (; i + 64 <= n; i += 64) {
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) most[p] = max(most[p], F16::load(x + i + 16 * p));
  }
  for (; i < n; i += 16) most[0] = max(most[0], load_or(x + i, n - i, -kInfinity));
  const float value = reduce_max(max(max(most[0], most[1]), max(most[2], most[3])));
  const F16 wanted = F16::broadcast(value);
  for (i = 0; value > -kInfinity && i < n; i += 16) {
    if (!any(equal(load_or(x + i, n - i, -kInfinity), wanted))) continue;
    for (Index c = i; c < n; ++c) {
      if (x[c] == value) return {value, static_cast<std::int32_t>(c)};
    }
  }
  return {-kInfinity, -1};
}

}  // namespace

extern const SoftmaxTable softmax_functions;
const SoftmaxTable softmax_functions{softmax, softmax_backward, log_sum_exp, argmax, largest};

}  // namespace headwater::kernels::HEADWATER_ISA
