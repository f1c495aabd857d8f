// f32x16 in two 256-bit registers; included by simd.hpp.
#pragma once

namespace headwater::kernels::HEADWATER_ISA {

// All bits of a chosen lane are set.
struct mask32x16 {
  __m256 lo, hi;
};

// The first n lanes: eight words from place 16 - n, and from place 24 - n.
alignas(64) inline constexpr int kLaneMasks[32] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                   -1, -1, -1, -1, -1, -1, -1, -1};

struct f32x16 {
  __m256 lo, hi;

  static HEADWATER_INLINE f32x16 zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  static HEADWATER_INLINE f32x16 broadcast(float x) {
    const __m256 v = _mm256_set1_ps(x);
    return {v, v};
  }
  static HEADWATER_INLINE f32x16 load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  // The first n <= 16 lanes; the others are 0 and their memory is not touched.
  static HEADWATER_INLINE f32x16 load_partial(const float* p, Index n) {
    return {_mm256_maskload_ps(p, lower(n)), _mm256_maskload_ps(p + 8, upper(n))};
  }
  HEADWATER_INLINE void store(float* p) const {
    _mm256_storeu_ps(p, lo);
    _mm256_storeu_ps(p + 8, hi);
  }
  // Past the caches, to a multiple of 64 bytes; end_of_streams() before another thread reads it.
  HEADWATER_INLINE void stream(float* p) const {
    _mm256_stream_ps(p, lo);
    _mm256_stream_ps(p + 8, hi);
  }
  HEADWATER_INLINE void store_partial(float* p, Index n) const {
    _mm256_maskstore_ps(p, lower(n), lo);
    _mm256_maskstore_ps(p + 8, upper(n), hi);
  }
  static HEADWATER_INLINE __m256i lower(Index n) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kLaneMasks + 16 - n));
  }
  static HEADWATER_INLINE __m256i upper(Index n) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kLaneMasks + 24 - n));
  }
};

HEADWATER_INLINE void end_of_streams() { _mm_sfence(); }

HEADWATER_INLINE f32x16 operator+(f32x16 a, f32x16 b) {
  return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)};
}
HEADWATER_INLINE f32x16 operator-(f32x16 a, f32x16 b) {
  return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)};
}
HEADWATER_INLINE f32x16 operator*(f32x16 a, f32x16 b) {
  return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)};
}
HEADWATER_INLINE f32x16 operator/(f32x16 a, f32x16 b) {
  return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)};
}
// a·b + c, rounded once.
HEADWATER_INLINE f32x16 fma(f32x16 a, f32x16 b, f32x16 c) {
  return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)};
}
HEADWATER_INLINE f32x16 sqrt(f32x16 a) { return {_mm256_sqrt_ps(a.lo), _mm256_sqrt_ps(a.hi)}; }
HEADWATER_INLINE f32x16 abs(f32x16 a) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_andnot_ps(sign, a.lo), _mm256_andnot_ps(sign, a.hi)};
}
// a > b ? a : b, and a < b ? a : b.
HEADWATER_INLINE f32x16 max(f32x16 a, f32x16 b) {
  return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)};
}
HEADWATER_INLINE f32x16 min(f32x16 a, f32x16 b) {
  return {_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)};
}

HEADWATER_INLINE mask32x16 less(f32x16 a, f32x16 b) {
  return {_mm256_cmp_ps(a.lo, b.lo, _CMP_LT_OQ), _mm256_cmp_ps(a.hi, b.hi, _CMP_LT_OQ)};
}
// a <= b is false: a is greater or one is not a number.
HEADWATER_INLINE mask32x16 not_less_equal(f32x16 a, f32x16 b) {
  return {_mm256_cmp_ps(a.lo, b.lo, _CMP_NLE_UQ), _mm256_cmp_ps(a.hi, b.hi, _CMP_NLE_UQ)};
}
HEADWATER_INLINE mask32x16 equal(f32x16 a, f32x16 b) {
  return {_mm256_cmp_ps(a.lo, b.lo, _CMP_EQ_OQ), _mm256_cmp_ps(a.hi, b.hi, _CMP_EQ_OQ)};
}
HEADWATER_INLINE f32x16 select(mask32x16 m, f32x16 yes, f32x16 no) {
  return {_mm256_blendv_ps(no.lo, yes.lo, m.lo), _mm256_blendv_ps(no.hi, yes.hi, m.hi)};
}
HEADWATER_INLINE bool any(mask32x16 m) { return _mm256_movemask_ps(_mm256_or_ps(m.lo, m.hi)) != 0; }
HEADWATER_INLINE unsigned lane_bits(mask32x16 m) {
  return static_cast<unsigned>(_mm256_movemask_ps(m.lo) | _mm256_movemask_ps(m.hi) << 8);
}
HEADWATER_INLINE f32x16 first_lanes(Index n, f32x16 yes, f32x16 no) {
  return select({_mm256_castsi256_ps(f32x16::lower(n)), _mm256_castsi256_ps(f32x16::upper(n))}, yes, no);
}
HEADWATER_INLINE float first_lane(f32x16 a) { return _mm256_cvtss_f32(a.lo); }

// Lanes as 32-bit integers.
struct i32x16 {
  __m256i lo, hi;
  static HEADWATER_INLINE i32x16 broadcast(int x) {
    const __m256i v = _mm256_set1_epi32(x);
    return {v, v};
  }
};
HEADWATER_INLINE i32x16 bits_of(f32x16 a) { return {_mm256_castps_si256(a.lo), _mm256_castps_si256(a.hi)}; }
HEADWATER_INLINE f32x16 from_bits(i32x16 a) { return {_mm256_castsi256_ps(a.lo), _mm256_castsi256_ps(a.hi)}; }
HEADWATER_INLINE f32x16 to_float(i32x16 a) { return {_mm256_cvtepi32_ps(a.lo), _mm256_cvtepi32_ps(a.hi)}; }
HEADWATER_INLINE i32x16 operator+(i32x16 a, i32x16 b) {
  return {_mm256_add_epi32(a.lo, b.lo), _mm256_add_epi32(a.hi, b.hi)};
}
HEADWATER_INLINE i32x16 operator-(i32x16 a, i32x16 b) {
  return {_mm256_sub_epi32(a.lo, b.lo), _mm256_sub_epi32(a.hi, b.hi)};
}
HEADWATER_INLINE i32x16 operator&(i32x16 a, i32x16 b) {
  return {_mm256_and_si256(a.lo, b.lo), _mm256_and_si256(a.hi, b.hi)};
}
HEADWATER_INLINE i32x16 operator|(i32x16 a, i32x16 b) {
  return {_mm256_or_si256(a.lo, b.lo), _mm256_or_si256(a.hi, b.hi)};
}
template <int N>
HEADWATER_INLINE i32x16 shift_left(i32x16 a) {
  return {_mm256_slli_epi32(a.lo, N), _mm256_slli_epi32(a.hi, N)};
}
// The sign comes in from the left.
template <int N>
HEADWATER_INLINE i32x16 shift_right(i32x16 a) {
  return {_mm256_srai_epi32(a.lo, N), _mm256_srai_epi32(a.hi, N)};
}

// An 8x8 corner of a transposition.
HEADWATER_INLINE void transpose_corner(__m256 (&x)[8]) {
  __m256 a[8], b[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    a[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
    a[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    b[i] = _mm256_shuffle_ps(a[i], a[i + 2], 0x44);
    b[i + 1] = _mm256_shuffle_ps(a[i], a[i + 2], 0xEE);
    b[i + 2] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0x44);
    b[i + 3] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0xEE);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    x[i] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
    x[i + 4] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
  }
}

// rows[r] lane c becomes rows[c] lane r.
HEADWATER_INLINE void transpose(f32x16 (&rows)[16]) {
  __m256 ul[8], ur[8], ll[8], lr[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    ul[i] = rows[i].lo;
    ur[i] = rows[i].hi;
    ll[i] = rows[i + 8].lo;
    lr[i] = rows[i + 8].hi;
  }
  transpose_corner(ul);
  transpose_corner(ur);
  transpose_corner(ll);
  transpose_corner(lr);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    rows[i] = {ul[i], ll[i]};
    rows[i + 8] = {ur[i], lr[i]};
  }
}

}  // namespace headwater::kernels::HEADWATER_ISA
