// Sixteen floats as one value, for the files kernels/simd_*.cpp only: one 512-bit, two 256-bit or four
// 128-bit registers. Every operation is exact IEEE lane by lane, so that the three give the same bits. Those
// files are compiled for other instruction sets than the rest: whatever they share with it must be inlined,
// hence the attribute and the namespace of the instruction set.
#pragma once

#include "tensor/matrix.hpp"

#if defined(HEADWATER_ISA_avx512) || defined(HEADWATER_ISA_avx2)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 warns of its own header's undefined values
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define HEADWATER_INLINE inline __attribute__((always_inline))

#if defined(HEADWATER_ISA_avx512)
#include "tensor/simd_avx512.hpp"
#elif defined(HEADWATER_ISA_avx2)
#include "tensor/simd_avx2.hpp"
#else
#include "tensor/simd_portable.hpp"
#endif

namespace headwater::kernels::HEADWATER_ISA {

// The sum or the maximum over the lanes, reduced l + 8, l + 4, l + 2, l + 1.
#if defined(HEADWATER_ISA_avx512) || defined(HEADWATER_ISA_avx2)
template <class Eight, class Four>
HEADWATER_INLINE float reduce_lanes(f32x16 a, const Eight& eight, const Four& four) {
#if defined(HEADWATER_ISA_avx512)
  const __m256 x = eight(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
#else
  const __m256 x = eight(a.lo, a.hi);
#endif
  const __m128 y = four(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  const __m128 z = four(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(four(z, _mm_shuffle_ps(z, z, 1)));
}
HEADWATER_INLINE float reduce_add(f32x16 a) {
  return reduce_lanes(
      a, [](__m256 x, __m256 y) { return _mm256_add_ps(x, y); },
      [](__m128 x, __m128 y) { return _mm_add_ps(x, y); });
}
HEADWATER_INLINE float reduce_max(f32x16 a) {
  return reduce_lanes(
      a, [](__m256 x, __m256 y) { return _mm256_max_ps(x, y); },
      [](__m128 x, __m128 y) { return _mm_max_ps(x, y); });
}
#else
HEADWATER_INLINE float reduce_add(f32x16 a) {
  float lane[16];
  a.store(lane);
  for (int half = 8; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
  }
  return lane[0];
}
HEADWATER_INLINE float reduce_max(f32x16 a) {
  float lane[16];
  a.store(lane);
  for (int half = 8; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lane[l] = lane[l] > lane[l + half] ? lane[l] : lane[l + half];
  }
  return lane[0];
}
#endif

// f.template operator()<count>() for 1 <= count <= Most.
template <int Most, int N = 1, class F>
HEADWATER_INLINE void with_constant(Index count, const F& f) {
  if constexpr (N < Most) {
    if (count > N) return with_constant<Most, N + 1>(count, f);
  }
  f.template operator()<N>();
}

// f.template operator()<n>(first) for equal parts of [0, count), n <= Most long.
template <int Most, class F>
HEADWATER_INLINE void for_each_part(Index count, const F& f) {
  const Index parts = (count + Most - 1) / Most;
  for (Index part = 0, first = 0; part < parts; ++part) {
    const Index n = (count - first + parts - part - 1) / (parts - part);
    with_constant<Most>(n, [&]<int N>() { f.template operator()<N>(first); });
    first += n;
  }
}

// `x`, or 0 where its magnitude is below `bound`.
HEADWATER_INLINE f32x16 zero_where_below(float bound, f32x16 x) {
  return select(less(abs(x), f32x16::broadcast(bound)), f32x16::zero(), x);
}

// x > 0 ? x : 0, but not-a-number stays one.
HEADWATER_INLINE f32x16 relu(f32x16 x) { return select(less(x, f32x16::zero()), f32x16::zero(), x); }

#if !defined(HEADWATER_ISA_avx512)
// rows[c] = column c of the 16 rows at x, stride apart.
HEADWATER_INLINE void load_transposed(const float* x, Index stride, f32x16 (&rows)[16]) {
#pragma GCC unroll 16
  for (int r = 0; r < 16; ++r) rows[r] = f32x16::load(x + r * stride);
  transpose(rows);
}
#endif

// to[step·c + r] = x[r·stride + c] for c < cols; rows beyond `rows` (at most 16) are 0.
inline void transpose_panel(const float* x, Index stride, Index rows, Index cols, float* to,
                            Index step = 16) {
  for (Index c = 0; c < cols; c += 16, to += 16 * step) {
    f32x16 part[16];
    const Index width = cols - c < 16 ? cols - c : 16;
    if (rows == 16 && width == 16) {
      load_transposed(x + c, stride, part);
    } else {
#pragma GCC unroll 16
      for (int r = 0; r < 16; ++r)
        part[r] = r < rows ? f32x16::load_partial(x + r * stride + c, width) : f32x16::zero();
      transpose(part);
    }
    if (width == 16) {
#pragma GCC unroll 16
      for (int r = 0; r < 16; ++r) part[r].store(to + step * r);
    } else {
#pragma GCC unroll 16
      for (int r = 0; r < 16; ++r) {
        if (r < width) part[r].store(to + step * r);
      }
    }
  }
}

}  // namespace headwater::kernels::HEADWATER_ISA
