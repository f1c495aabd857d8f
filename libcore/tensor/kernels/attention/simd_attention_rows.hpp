// What attention does with the scores and the result of one query, in tiles of keys.
#pragma once

#include "tensor/kernels/attention/attention_table.hpp"
#include "tensor/simd_math.hpp"

namespace headwater::kernels::HEADWATER_ISA {

inline constexpr float kInfinity = __builtin_inff();

// s: the tile's scores of one query, the first `count` of them visible but for the `hidden` first. Makes them
// exp(scale·s - m') and moves m and l; returns exp(m - m').
inline float softmax_step(float* s, Index count, float scale, float& m, float& l, Index hidden = 0) {
  const f32x16 factor = f32x16::broadcast(scale);
  const Index full = count / 16, rest = count % 16;
  for (Index c = 0; c < hidden; ++c) s[c] = -kInfinity;
  f32x16 most = f32x16::broadcast(m);
  for (Index p = 0; p < full; ++p) {
    const f32x16 x = f32x16::load(s + 16 * p) * factor;
    x.store(s + 16 * p);
    most = max(most, x);
  }
  if (rest > 0) {
    const f32x16 x = first_lanes(rest, f32x16::load(s + 16 * full) * factor, f32x16::broadcast(-kInfinity));
    x.store(s + 16 * full);
    most = max(most, x);
  }
  const float next = reduce_max(most);
  const f32x16 shift = f32x16::broadcast(next);
  f32x16 sum = f32x16::zero();
  for (Index p = 0; p < full; ++p) {
    const f32x16 x = exp(f32x16::load(s + 16 * p) - shift);
    x.store(s + 16 * p);
    sum = sum + x;
  }
  if (rest > 0) {
    const f32x16 x = first_lanes(rest, exp(f32x16::load(s + 16 * full) - shift), f32x16::zero());
    x.store(s + 16 * full);
    sum = sum + x;
  }
  const float correction = m == -kInfinity ? 0.0f : first_lane(exp(f32x16::broadcast(m - next)));
  l = l * correction + reduce_add(sum);
  m = next;
  return correction;
}

inline void scale_row(float* x, Index count, float factor) {
  const f32x16 f = f32x16::broadcast(factor);
  Index c = 0;
  for (; c + 16 <= count; c += 16) (f32x16::load(x + c) * f).store(x + c);
  if (c < count) (f32x16::load_partial(x + c, count - c) * f).store_partial(x + c, count - c);
}

inline void divide_row(float* x, Index count, float divisor) {
  const f32x16 d = f32x16::broadcast(divisor);
  Index c = 0;
  for (; c + 16 <= count; c += 16) (f32x16::load(x + c) / d).store(x + c);
  if (c < count) (f32x16::load_partial(x + c, count - c) / d).store_partial(x + c, count - c);
}

}  // namespace headwater::kernels::HEADWATER_ISA
