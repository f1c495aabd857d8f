// f32x16 in one 512-bit register; included by simd.hpp.
#pragma once

namespace headwater::kernels::HEADWATER_ISA {

// One bit a lane.
struct mask32x16 {
  __mmask16 m;
};

struct f32x16 {
  __m512 v;

  static HEADWATER_INLINE f32x16 zero() { return {_mm512_setzero_ps()}; }
  static HEADWATER_INLINE f32x16 broadcast(float x) { return {_mm512_set1_ps(x)}; }
  static HEADWATER_INLINE f32x16 load(const float* p) { return {_mm512_loadu_ps(p)}; }
  // The first n <= 16 lanes; the others are 0 and their memory is not touched.
  static HEADWATER_INLINE f32x16 load_partial(const float* p, Index n) {
    return {_mm512_maskz_loadu_ps(lanes(n), p)};
  }
  HEADWATER_INLINE void store(float* p) const { _mm512_storeu_ps(p, v); }
  // Past the caches, to a multiple of 64 bytes; end_of_streams() before another thread reads it.
  HEADWATER_INLINE void stream(float* p) const { _mm512_stream_ps(p, v); }
  HEADWATER_INLINE void store_partial(float* p, Index n) const { _mm512_mask_storeu_ps(p, lanes(n), v); }
  static HEADWATER_INLINE __mmask16 lanes(Index n) { return static_cast<__mmask16>((1u << n) - 1); }
};

HEADWATER_INLINE void end_of_streams() { _mm_sfence(); }

HEADWATER_INLINE f32x16 operator+(f32x16 a, f32x16 b) { return {_mm512_add_ps(a.v, b.v)}; }
HEADWATER_INLINE f32x16 operator-(f32x16 a, f32x16 b) { return {_mm512_sub_ps(a.v, b.v)}; }
HEADWATER_INLINE f32x16 operator*(f32x16 a, f32x16 b) { return {_mm512_mul_ps(a.v, b.v)}; }
HEADWATER_INLINE f32x16 operator/(f32x16 a, f32x16 b) { return {_mm512_div_ps(a.v, b.v)}; }
// a·b + c, rounded once.
HEADWATER_INLINE f32x16 fma(f32x16 a, f32x16 b, f32x16 c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
HEADWATER_INLINE f32x16 sqrt(f32x16 a) { return {_mm512_sqrt_ps(a.v)}; }
HEADWATER_INLINE f32x16 abs(f32x16 a) {
  return {_mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(a.v), _mm512_set1_epi32(0x7FFFFFFF)))};
}
// a > b ? a : b, and a < b ? a : b.
HEADWATER_INLINE f32x16 max(f32x16 a, f32x16 b) { return {_mm512_max_ps(a.v, b.v)}; }
HEADWATER_INLINE f32x16 min(f32x16 a, f32x16 b) { return {_mm512_min_ps(a.v, b.v)}; }

HEADWATER_INLINE mask32x16 less(f32x16 a, f32x16 b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)}; }
// a <= b is false: a is greater or one is not a number.
HEADWATER_INLINE mask32x16 not_less_equal(f32x16 a, f32x16 b) {
  return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_NLE_UQ)};
}
HEADWATER_INLINE mask32x16 equal(f32x16 a, f32x16 b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ)}; }
HEADWATER_INLINE f32x16 select(mask32x16 m, f32x16 yes, f32x16 no) {
  return {_mm512_mask_blend_ps(m.m, no.v, yes.v)};
}
HEADWATER_INLINE bool any(mask32x16 m) { return m.m != 0; }
HEADWATER_INLINE unsigned lane_bits(mask32x16 m) { return m.m; }
HEADWATER_INLINE f32x16 first_lanes(Index n, f32x16 yes, f32x16 no) {
  return {_mm512_mask_blend_ps(f32x16::lanes(n), no.v, yes.v)};
}
HEADWATER_INLINE float first_lane(f32x16 a) { return _mm512_cvtss_f32(a.v); }

// Lanes as 32-bit integers.
struct i32x16 {
  __m512i v;
  static HEADWATER_INLINE i32x16 broadcast(int x) { return {_mm512_set1_epi32(x)}; }
};
HEADWATER_INLINE i32x16 bits_of(f32x16 a) { return {_mm512_castps_si512(a.v)}; }
HEADWATER_INLINE f32x16 from_bits(i32x16 a) { return {_mm512_castsi512_ps(a.v)}; }
HEADWATER_INLINE f32x16 to_float(i32x16 a) { return {_mm512_cvtepi32_ps(a.v)}; }
HEADWATER_INLINE i32x16 operator+(i32x16 a, i32x16 b) { return {_mm512_add_epi32(a.v, b.v)}; }
HEADWATER_INLINE i32x16 operator-(i32x16 a, i32x16 b) { return {_mm512_sub_epi32(a.v, b.v)}; }
HEADWATER_INLINE i32x16 operator&(i32x16 a, i32x16 b) { return {_mm512_and_si512(a.v, b.v)}; }
HEADWATER_INLINE i32x16 operator|(i32x16 a, i32x16 b) { return {_mm512_or_si512(a.v, b.v)}; }
template <int N>
HEADWATER_INLINE i32x16 shift_left(i32x16 a) {
  return {_mm512_slli_epi32(a.v, N)};
}
// The sign comes in from the left.
template <int N>
HEADWATER_INLINE i32x16 shift_right(i32x16 a) {
  return {_mm512_srai_epi32(a.v, N)};
}

// rows[r] lane c becomes rows[c] lane r.
HEADWATER_INLINE void transpose(f32x16 (&rows)[16]) {
  __m512 a[16], b[16];
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    a[i] = _mm512_unpacklo_ps(rows[i].v, rows[i + 1].v);
    a[i + 1] = _mm512_unpackhi_ps(rows[i].v, rows[i + 1].v);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    b[i] = _mm512_shuffle_ps(a[i], a[i + 2], 0x44);
    b[i + 1] = _mm512_shuffle_ps(a[i], a[i + 2], 0xEE);
    b[i + 2] = _mm512_shuffle_ps(a[i + 1], a[i + 3], 0x44);
    b[i + 3] = _mm512_shuffle_ps(a[i + 1], a[i + 3], 0xEE);
  }
  // b[4·q + j]: column 4·l + j of rows 4·q .. 4·q + 3 in 128-bit part l.
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const __m512 lower_even = _mm512_shuffle_f32x4(b[j], b[4 + j], 0x88),
                 upper_even = _mm512_shuffle_f32x4(b[8 + j], b[12 + j], 0x88);
    const __m512 lower_odd = _mm512_shuffle_f32x4(b[j], b[4 + j], 0xDD),
                 upper_odd = _mm512_shuffle_f32x4(b[8 + j], b[12 + j], 0xDD);
    rows[j].v = _mm512_shuffle_f32x4(lower_even, upper_even, 0x88);
    rows[8 + j].v = _mm512_shuffle_f32x4(lower_even, upper_even, 0xDD);
    rows[4 + j].v = _mm512_shuffle_f32x4(lower_odd, upper_odd, 0x88);
    rows[12 + j].v = _mm512_shuffle_f32x4(lower_odd, upper_odd, 0xDD);
  }
}

// rows[c] = column c of the 16 rows at x, stride apart, by groups of four columns: the rows' parts go to
// their 128 bits as they are loaded, so that only these are transposed.
HEADWATER_INLINE void load_transposed(const float* x, Index stride, f32x16 (&rows)[16]) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    __m512 v[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const float* p = x + i * stride + 4 * j;
      v[i] = _mm512_castps128_ps512(_mm_loadu_ps(p));
      v[i] = _mm512_mask_broadcast_f32x4(v[i], 0x00F0, _mm_loadu_ps(p + 4 * stride));
      v[i] = _mm512_mask_broadcast_f32x4(v[i], 0x0F00, _mm_loadu_ps(p + 8 * stride));
      v[i] = _mm512_mask_broadcast_f32x4(v[i], 0xF000, _mm_loadu_ps(p + 12 * stride));
    }
    const __m512 low_01 = _mm512_unpacklo_ps(v[0], v[1]), high_01 = _mm512_unpackhi_ps(v[0], v[1]);
    const __m512 low_23 = _mm512_unpacklo_ps(v[2], v[3]), high_23 = _mm512_unpackhi_ps(v[2], v[3]);
    rows[4 * j].v = _mm512_shuffle_ps(low_01, low_23, 0x44);
    rows[4 * j + 1].v = _mm512_shuffle_ps(low_01, low_23, 0xEE);
    rows[4 * j + 2].v = _mm512_shuffle_ps(high_01, high_23, 0x44);
    rows[4 * j + 3].v = _mm512_shuffle_ps(high_01, high_23, 0xEE);
  }
}

}  // namespace headwater::kernels::HEADWATER_ISA
