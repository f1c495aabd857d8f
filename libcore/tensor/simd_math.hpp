// Elementary functions of sixteen lanes: our own polynomials (minimax fits of the relative error), explicit
// fma, the same operations on every ISA, so the same bits. Not-a-number stays one. Errors are measured
// against double in tests/unit/tensor.
#pragma once

#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

// c[0] + c[1]·x + ... by Horner's rule.
template <int N>
HEADWATER_INLINE f32x16 polynomial(f32x16 x, const float (&c)[N]) {
  f32x16 sum = f32x16::broadcast(c[N - 1]);
#pragma GCC unroll 16
  for (int i = N - 2; i >= 0; --i) sum = fma(sum, x, f32x16::broadcast(c[i]));
  return sum;
}

// The same with neighbours joined first, then their sums by x², x⁴ ...: more multiplications, but a shorter
// chain.
template <int N>
HEADWATER_INLINE f32x16 joined(f32x16 x, const f32x16 (&terms)[N]) {
  if constexpr (N == 1) {
    return terms[0];
  } else {
    f32x16 pairs[(N + 1) / 2];
#pragma GCC unroll 16
    for (int i = 0; i < N / 2; ++i) pairs[i] = fma(terms[2 * i + 1], x, terms[2 * i]);
    if constexpr (N % 2 == 1) pairs[N / 2] = terms[N - 1];
    return joined(x * x, pairs);
  }
}
template <int N>
HEADWATER_INLINE f32x16 polynomial_by_pairs(f32x16 x, const float (&c)[N]) {
  f32x16 terms[N];
#pragma GCC unroll 16
  for (int i = 0; i < N; ++i) terms[i] = f32x16::broadcast(c[i]);
  return joined(x, terms);
}

HEADWATER_INLINE f32x16 copy_sign(f32x16 magnitude, f32x16 sign) {
  return from_bits(bits_of(magnitude) | (bits_of(sign) & i32x16::broadcast(-0x7FFFFFFF - 1)));
}

// e^x; +0 below -87.3, infinite from 88.7228 on. x = n·ln2 + r with |r| <= ln2/2; n goes into the exponent of
// e^r.
HEADWATER_INLINE f32x16 exp(f32x16 x) {
  const f32x16 shift = f32x16::broadcast(0x1.8p23f);  // rounds to an integer that stands in the low bits
  const f32x16 shifted = fma(x, f32x16::broadcast(0x1.715476p0f), shift);
  const f32x16 n = shifted - shift;
  f32x16 r = fma(n, f32x16::broadcast(-0x1.62e4p-1f), x);
  r = fma(n, f32x16::broadcast(-0x1.7f7d1cp-20f), r);
  const f32x16 q =
      polynomial(r, {0x1.fffffcp-2f, 0x1.55549p-3f, 0x1.5558f4p-5f, 0x1.123a6cp-7f, 0x1.6a2352p-10f});
  const f32x16 p = fma(q, r * r, r) + f32x16::broadcast(1);
  const f32x16 y = from_bits(bits_of(p) + shift_left<23>(bits_of(shifted)));
  const f32x16 bounded =
      select(not_less_equal(x, f32x16::broadcast(88.7228f)), x * f32x16::broadcast(__builtin_inff()), y);
  return select(less(x, f32x16::broadcast(-87.3f)), f32x16::zero(), bounded);
}

// x = e^x, the same bits for x <= 0 (or not a number) in fewer steps; N values side by side, so that none
// waits for its own chain.
template <int N>
HEADWATER_INLINE void exp_of_negative(f32x16 (&x)[N]) {
  constexpr float c[] = {0x1.fffffcp-2f, 0x1.55549p-3f, 0x1.5558f4p-5f, 0x1.123a6cp-7f, 0x1.6a2352p-10f};
  const f32x16 shift = f32x16::broadcast(0x1.8p23f);
  f32x16 shifted[N], n[N], r[N], q[N];
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) shifted[i] = fma(x[i], f32x16::broadcast(0x1.715476p0f), shift);
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) n[i] = shifted[i] - shift;
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) r[i] = fma(n[i], f32x16::broadcast(-0x1.62e4p-1f), x[i]);
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) r[i] = fma(n[i], f32x16::broadcast(-0x1.7f7d1cp-20f), r[i]);
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) q[i] = fma(f32x16::broadcast(c[4]), r[i], f32x16::broadcast(c[3]));
#pragma GCC unroll 4
  for (int step = 2; step >= 0; --step) {
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) q[i] = fma(q[i], r[i], f32x16::broadcast(c[step]));
  }
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) q[i] = fma(q[i], r[i] * r[i], r[i]) + f32x16::broadcast(1);
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) {
#if defined(HEADWATER_ISA_avx512)
    const __mmask16 is_not_0 = _mm512_cmp_ps_mask(x[i].v, _mm512_set1_ps(-87.3f), _CMP_NLT_UQ);
    x[i] = {_mm512_maskz_scalef_ps(is_not_0, q[i].v, n[i].v)};
#else
    const f32x16 y = from_bits(bits_of(q[i]) + shift_left<23>(bits_of(shifted[i])));
    const f32x16 bounded = select(not_less_equal(x[i], f32x16::zero()), x[i], y);
    x[i] = select(less(x[i], f32x16::broadcast(-87.3f)), f32x16::zero(), bounded);
#endif
  }
}

// ln x; -inf at 0. x = m·2^e with m in [sqrt(1/2), sqrt(2)).
HEADWATER_INLINE f32x16 log(f32x16 x) {
  const mask32x16 is_small = less(x, f32x16::broadcast(0x1p-126f));
  const f32x16 scaled = select(is_small, x * f32x16::broadcast(0x1p24f), x);
  const i32x16 above =
      bits_of(scaled) - i32x16::broadcast(0x3F3504F3);  // in units of the exponent over sqrt(1/2)
  const i32x16 exponent = shift_right<23>(above);
  const f32x16 m = from_bits((above & i32x16::broadcast(0x7FFFFF)) + i32x16::broadcast(0x3F3504F3));
  const f32x16 e = select(is_small, to_float(exponent) - f32x16::broadcast(24), to_float(exponent));
  const f32x16 f = m - f32x16::broadcast(1), square = f * f;
  const f32x16 q = polynomial(f, {0x1.555554p-2f, -0x1.000226p-2f, 0x1.99a008p-3f, -0x1.547244p-3f,
                                  0x1.22da1ep-3f, -0x1.0d8542p-3f, 0x1.055b68p-3f, -0x1.38b576p-4f});
  f32x16 y = fma(e, f32x16::broadcast(0x1.7f7d1cp-20f), q * f * square);
  y = f + fma(square, f32x16::broadcast(-0.5f), y);
  y = fma(e, f32x16::broadcast(0x1.62e4p-1f), y);
  const f32x16 infinity = f32x16::broadcast(__builtin_inff());
  y = select(less(x, infinity), y, x);  // of infinity and of not-a-number: itself
  y = select(equal(x, f32x16::zero()), f32x16::zero() - infinity, y);
  return select(less(x, f32x16::zero()), f32x16::broadcast(__builtin_nanf("")), y);
}

// tanh x = 1 - 2/(e^(2x) + 1), near 0 an odd polynomial.
HEADWATER_INLINE f32x16 tanh(f32x16 x) {
  const f32x16 a = abs(x), square = x * x;
  const f32x16 q =
      polynomial(square, {-0x1.555532p-2f, 0x1.110726p-3f, -0x1.b83c5ap-5f, 0x1.52269ap-6f, -0x1.75e1cap-8f});
  const f32x16 one = f32x16::broadcast(1), two = f32x16::broadcast(2);
  const f32x16 large = one - two / (exp(a + a) + one);
  return copy_sign(select(less(a, f32x16::broadcast(0.625f)), fma(q * square, a, a), large), x);
}

// 1/(1 + e^-x)
HEADWATER_INLINE f32x16 sigmoid(f32x16 x) {
  const f32x16 one = f32x16::broadcast(1);
  return one / (one + exp(f32x16::zero() - x));
}

// 2^x for -126 <= x <= 126; x = n + r with |r| <= 1/2; n goes into the exponent of 2^r.
HEADWATER_INLINE f32x16 exp2(f32x16 x) {
  const f32x16 shift = f32x16::broadcast(0x1.8p23f);
  const f32x16 shifted = x + shift;
  const f32x16 p =
      polynomial_by_pairs(x - (shifted - shift), {1.0f, 0x1.62e43p-1f, 0x1.ebfbdcp-3f, 0x1.c6aee8p-5f,
                                                  0x1.3b2d4cp-7f, 0x1.5f3e52p-10f, 0x1.41fbbcp-13f});
  return from_bits(bits_of(p) + shift_left<23>(bits_of(shifted)));
}

// Φ(x) = (1 + erf(x/sqrt(2)))/2, the distribution function of the normal distribution: below 0 it is 2^(a
// polynomial close to log2 Φ(x)), 0 from -6 on; above 0 it is 1 - Φ(-x).
HEADWATER_INLINE f32x16 normal_probability(f32x16 x) {
  const f32x16 a = abs(x), bound = f32x16::broadcast(6), t = min(a, bound);
  const f32x16 near = exp2(polynomial_by_pairs(
      t, {-1.0f, -0x1.26aedep+0f, -0x1.d6398p-2f, -0x1.ae1f06p-5f, 0x1.cebefp-8f, -0x1.dc0b7ep-14f,
          -0x1.bd5f2cp-13f, 0x1.b5e68cp-15f, -0x1.840448p-18f, 0x1.153cd6p-22f}));
  const f32x16 tail = select(less(bound, a), f32x16::zero(), near);
  return select(less(x, f32x16::zero()), tail, f32x16::broadcast(1) - tail);
}

}  // namespace headwater::kernels::HEADWATER_ISA
