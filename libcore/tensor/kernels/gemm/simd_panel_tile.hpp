// What products with weights in panels of 16 columns do with the sums of a tile.
#pragma once

#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

struct TileResult {
  float* c;
  Index stride;
  Index lanes;        // columns of the last panel
  const float* bias;  // or null
  bool is_relu;
};

// Stores value(r, p, bias) of R rows and P panels, where bias is 0 if there is none.
template <int R, int P, class F>
HEADWATER_INLINE void store_tile(const TileResult& to, const F& value) {
#pragma GCC unroll 8
  for (int p = 0; p < P; ++p) {
    const bool is_whole = p < P - 1 || to.lanes == 16;
    f32x16 bias = f32x16::zero();
    if (to.bias)
      bias = is_whole ? f32x16::load(to.bias + 16 * p) : f32x16::load_partial(to.bias + 16 * p, to.lanes);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      f32x16 result = value(r, p, bias);
      if (to.is_relu) result = relu(result);
      float* const c = to.c + r * to.stride + 16 * p;
      if (is_whole) {
        result.store(c);
      } else {
        result.store_partial(c, to.lanes);
      }
    }
  }
}

}  // namespace headwater::kernels::HEADWATER_ISA
