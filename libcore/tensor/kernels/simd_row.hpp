// A row of numbers in groups of 16; the last group may be shorter.
#pragma once

#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

struct Whole {
  HEADWATER_INLINE static f32x16 load(const float* x, Index) { return f32x16::load(x); }
  HEADWATER_INLINE static void store(f32x16 value, float* x, Index) { value.store(x); }
};
struct Partial {
  HEADWATER_INLINE static f32x16 load(const float* x, Index lanes) { return f32x16::load_partial(x, lanes); }
  HEADWATER_INLINE static void store(f32x16 value, float* x, Index lanes) { value.store_partial(x, lanes); }
};
// f(first, lanes, Whole or Partial) for each group of n values.
template <class F>
inline void for_each_group(Index n, const F& f) {
  Index i = 0;
  for (; i + 16 <= n; i += 16) f(i, Index{16}, Whole{});
  if (i < n) f(i, n - i, Partial{});
}

// `missing` in the lanes beyond the first so many; 16 or more: none.
HEADWATER_INLINE f32x16 load_or(const float* x, Index lanes, float missing) {
  return lanes >= 16 ? f32x16::load(x)
                     : first_lanes(lanes, f32x16::load_partial(x, lanes), f32x16::broadcast(missing));
}
HEADWATER_INLINE void store_lanes(f32x16 value, float* x, Index lanes) {
  if (lanes >= 16) {
    value.store(x);
  } else {
    value.store_partial(x, lanes);
  }
}

inline float maximum(const float* x, Index n) {
  constexpr float kLowest = -__builtin_inff();
  f32x16 most = f32x16::broadcast(kLowest);
  for (Index i = 0; i < n; i += 16) most = max(most, load_or(x + i, n - i, kLowest));
  return reduce_max(most);
}

}  // namespace headwater::kernels::HEADWATER_ISA
