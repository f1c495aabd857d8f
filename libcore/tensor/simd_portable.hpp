// f32x16 in four 128-bit vectors of the compiler (NEON on aarch64; elsewhere plain code); included by
// simd.hpp.
#pragma once

namespace headwater::kernels::HEADWATER_ISA {

typedef float Float4 __attribute__((vector_size(16)));
typedef int Int4 __attribute__((vector_size(16)));

// All bits of a chosen lane are set.
struct mask32x16 {
  Int4 m[4];
};

struct f32x16 {
  Float4 v[4];

  static HEADWATER_INLINE f32x16 zero() { return {}; }
  static HEADWATER_INLINE f32x16 broadcast(float x) {
    const Float4 f = {x, x, x, x};
    return {{f, f, f, f}};
  }
  static HEADWATER_INLINE f32x16 load(const float* p) {
    f32x16 r;
    __builtin_memcpy(&r, p, 64);
    return r;
  }
  // The first n <= 16 lanes; the others are 0 and their memory is not touched.
  static HEADWATER_INLINE f32x16 load_partial(const float* p, Index n) {
    float lane[16] = {};
    for (Index i = 0; i < n; ++i) lane[i] = p[i];
    return load(lane);
  }
  HEADWATER_INLINE void store(float* p) const { __builtin_memcpy(p, this, 64); }
  HEADWATER_INLINE void stream(float* p) const { store(p); }
  HEADWATER_INLINE void store_partial(float* p, Index n) const {
    float lane[16];
    store(lane);
    for (Index i = 0; i < n; ++i) p[i] = lane[i];
  }
};

HEADWATER_INLINE void end_of_streams() {}

// f(i) for each of the four parts.
template <class R, class F>
HEADWATER_INLINE R in_parts(const F& f) {
  return {{f(0), f(1), f(2), f(3)}};
}

HEADWATER_INLINE f32x16 operator+(f32x16 a, f32x16 b) {
  return in_parts<f32x16>([&](int i) { return a.v[i] + b.v[i]; });
}
HEADWATER_INLINE f32x16 operator-(f32x16 a, f32x16 b) {
  return in_parts<f32x16>([&](int i) { return a.v[i] - b.v[i]; });
}
HEADWATER_INLINE f32x16 operator*(f32x16 a, f32x16 b) {
  return in_parts<f32x16>([&](int i) { return a.v[i] * b.v[i]; });
}
HEADWATER_INLINE f32x16 operator/(f32x16 a, f32x16 b) {
  return in_parts<f32x16>([&](int i) { return a.v[i] / b.v[i]; });
}
// a·b + c, rounded once.
HEADWATER_INLINE f32x16 fma(f32x16 a, f32x16 b, f32x16 c) {
  return in_parts<f32x16>([&](int i) -> Float4 {
#if defined(__aarch64__)
    return (Float4)vfmaq_f32((float32x4_t)c.v[i], (float32x4_t)a.v[i], (float32x4_t)b.v[i]);
#else
    Float4 r;
    for (int l = 0; l < 4; ++l) r[l] = __builtin_fmaf(a.v[i][l], b.v[i][l], c.v[i][l]);
    return r;
#endif
  });
}
HEADWATER_INLINE f32x16 sqrt(f32x16 a) {
  return in_parts<f32x16>([&](int i) {
    Float4 r;
    for (int l = 0; l < 4; ++l) r[l] = __builtin_sqrtf(a.v[i][l]);
    return r;
  });
}

HEADWATER_INLINE mask32x16 less(f32x16 a, f32x16 b) {
  return in_parts<mask32x16>([&](int i) -> Int4 { return a.v[i] < b.v[i]; });
}
// a <= b is false: a is greater or one is not a number.
HEADWATER_INLINE mask32x16 not_less_equal(f32x16 a, f32x16 b) {
  return in_parts<mask32x16>([&](int i) -> Int4 { return ~(a.v[i] <= b.v[i]); });
}
HEADWATER_INLINE mask32x16 equal(f32x16 a, f32x16 b) {
  return in_parts<mask32x16>([&](int i) -> Int4 { return a.v[i] == b.v[i]; });
}
HEADWATER_INLINE f32x16 select(mask32x16 m, f32x16 yes, f32x16 no) {
  return in_parts<f32x16>(
      [&](int i) { return (Float4)((m.m[i] & (Int4)yes.v[i]) | (~m.m[i] & (Int4)no.v[i])); });
}
HEADWATER_INLINE bool any(mask32x16 m) {
  const Int4 all = m.m[0] | m.m[1] | m.m[2] | m.m[3];
  return (all[0] | all[1] | all[2] | all[3]) != 0;
}
HEADWATER_INLINE unsigned lane_bits(mask32x16 m) {
  unsigned bits = 0;
  for (int lane = 0; lane < 16; ++lane) bits |= m.m[lane / 4][lane % 4] != 0 ? 1u << lane : 0;
  return bits;
}
// a > b ? a : b, and a < b ? a : b.
HEADWATER_INLINE f32x16 max(f32x16 a, f32x16 b) { return select(less(b, a), a, b); }
HEADWATER_INLINE f32x16 min(f32x16 a, f32x16 b) { return select(less(a, b), a, b); }
HEADWATER_INLINE f32x16 abs(f32x16 a) {
  return in_parts<f32x16>([&](int i) { return (Float4)((Int4)a.v[i] & 0x7FFFFFFF); });
}
HEADWATER_INLINE f32x16 first_lanes(Index n, f32x16 yes, f32x16 no) {
  float y[16], lane[16];
  yes.store(y);
  no.store(lane);
  for (Index i = 0; i < n; ++i) lane[i] = y[i];
  return f32x16::load(lane);
}
HEADWATER_INLINE float first_lane(f32x16 a) { return a.v[0][0]; }

// Lanes as 32-bit integers.
struct i32x16 {
  Int4 v[4];
  static HEADWATER_INLINE i32x16 broadcast(int x) {
    const Int4 n = {x, x, x, x};
    return {{n, n, n, n}};
  }
};
HEADWATER_INLINE i32x16 bits_of(f32x16 a) {
  return in_parts<i32x16>([&](int i) { return (Int4)a.v[i]; });
}
HEADWATER_INLINE f32x16 from_bits(i32x16 a) {
  return in_parts<f32x16>([&](int i) { return (Float4)a.v[i]; });
}
HEADWATER_INLINE f32x16 to_float(i32x16 a) {
  return in_parts<f32x16>([&](int i) { return __builtin_convertvector(a.v[i], Float4); });
}
// Sums wrap around.
HEADWATER_INLINE i32x16 operator+(i32x16 a, i32x16 b) {
  typedef unsigned Word4 __attribute__((vector_size(16)));
  return in_parts<i32x16>([&](int i) { return (Int4)((Word4)a.v[i] + (Word4)b.v[i]); });
}
HEADWATER_INLINE i32x16 operator-(i32x16 a, i32x16 b) {
  typedef unsigned Word4 __attribute__((vector_size(16)));
  return in_parts<i32x16>([&](int i) { return (Int4)((Word4)a.v[i] - (Word4)b.v[i]); });
}
HEADWATER_INLINE i32x16 operator&(i32x16 a, i32x16 b) {
  return in_parts<i32x16>([&](int i) { return a.v[i] & b.v[i]; });
}
HEADWATER_INLINE i32x16 operator|(i32x16 a, i32x16 b) {
  return in_parts<i32x16>([&](int i) { return a.v[i] | b.v[i]; });
}
template <int N>
HEADWATER_INLINE i32x16 shift_left(i32x16 a) {
  typedef unsigned Word4 __attribute__((vector_size(16)));
  return in_parts<i32x16>([&](int i) { return (Int4)((Word4)a.v[i] << N); });
}
// The sign comes in from the left.
template <int N>
HEADWATER_INLINE i32x16 shift_right(i32x16 a) {
  return in_parts<i32x16>([&](int i) { return a.v[i] >> N; });
}

// rows[r] lane c becomes rows[c] lane r.
inline void transpose(f32x16 (&rows)[16]) {
  float x[16][16];
  for (int r = 0; r < 16; ++r) {
    float lane[16];
    rows[r].store(lane);
    for (int c = 0; c < 16; ++c) x[c][r] = lane[c];
  }
  for (int r = 0; r < 16; ++r) rows[r] = f32x16::load(x[r]);
}

}  // namespace headwater::kernels::HEADWATER_ISA
