// Softmax of a row, its gradient; sums by the 16-lane rule.
#include "tensor/kernels/loss/loss_table.hpp"
#include "tensor/kernels/simd_row.hpp"
#include "tensor/simd_math.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

constexpr float kInfinity = __builtin_inff();

void softmax(Index n, const float* x, float* y) {
  const f32x16 shift = f32x16::broadcast(maximum(x, n));
  f32x16 sum = f32x16::zero();
  for (Index i = 0; i < n; i += 16) {
    const f32x16 e = exp(load_or(x + i, n - i, -kInfinity) - shift);
    store_lanes(e, y + i, n - i);
    sum = sum + e;
  }
  const f32x16 total = f32x16::broadcast(reduce_add(sum));
  for (Index i = 0; i < n; i += 16) store_lanes(load_or(y + i, n - i, 0) / total, y + i, n - i);
}

void softmax_backward(Index n, const float* y, const float* dy, float* dx, bool accumulate) {
  f32x16 sum = f32x16::zero();
  for (Index i = 0; i < n; i += 16) sum = fma(load_or(y + i, n - i, 0), load_or(dy + i, n - i, 0), sum);
  const f32x16 mean = f32x16::broadcast(reduce_add(sum));
  for (Index i = 0; i < n; i += 16) {
    f32x16 gradient = load_or(y + i, n - i, 0) * (load_or(dy + i, n - i, 0) - mean);
    if (accumulate) gradient = load_or(dx + i, n - i, 0) + gradient;
    store_lanes(gradient, dx + i, n - i);
  }
}

float log_sum_exp(Index n, const float* x) {
  const float most = maximum(x, n);
  const f32x16 shift = f32x16::broadcast(most);
  f32x16 sum = f32x16::zero();
  for (Index i = 0; i < n; i += 16) sum = sum + exp(load_or(x + i, n - i, -kInfinity) - shift);
  return most + first_lane(log(f32x16::broadcast(reduce_add(sum))));
}

}  // namespace

extern const SoftmaxTable softmax_functions;
const SoftmaxTable softmax_functions{softmax, softmax_backward, log_sum_exp};

}  // namespace headwater::kernels::HEADWATER_ISA
