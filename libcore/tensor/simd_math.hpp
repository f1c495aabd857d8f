// Elementary functions of sixteen lanes: our own polynomials with explicit fma, the same operations on every
// ISA, so the same bits. Errors are measured against double in tests/unit/tensor/simd_math_test.cpp.
#pragma once

#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

// To the nearest integer, ties to even, for |x| < 2^22: adding 1.5 · 2^23 leaves no room for a fraction.
HEADWATER_INLINE F16 round(F16 x) {
  const F16 magic = F16::broadcast(12582912.0f);
  return (x + magic) - magic;
}
// 2^n for integral lanes n in [-126, 127].
HEADWATER_INLINE F16 power_of_two(F16 n) {
  // n + 127 stands in the low bits of n + 127 + 1.5 · 2^23.
  return from_bits(shift_left<23>(bits_of(n + F16::broadcast(12582912.0f + 127))));
}
HEADWATER_INLINE F16 where_less(F16 a, F16 b, F16 x, F16 y) { return select(less(a, b), x, y); }
HEADWATER_INLINE F16 with_sign(F16 magnitude, F16 sign) {
  const I16 bit = I16::broadcast(static_cast<int>(0x80000000u));
  return from_bits(bits_of(abs(magnitude)) | (bits_of(sign) & bit));
}
// x = mantissa · 2^exponent with the mantissa in [sqrt(1/2), sqrt(2)), for positive normal x.
HEADWATER_INLINE F16 split_exponent(F16 x, F16& exponent) {
  const I16 root_half = I16::broadcast(0x3F3504F3);
  const I16 bits = bits_of(x) - root_half;
  exponent = to_float(shift_right<23>(bits));
  return from_bits((bits & I16::broadcast(0x007FFFFF)) + root_half);
}

// e^x; +0 below -87.3, clamped at 88.3 above. x = n·ln2 + r, |r| <= ln2/2, and a polynomial of degree 6 in r.
HEADWATER_INLINE F16 exp(F16 x) {
  const F16 least = F16::broadcast(-87.3f);
  const F16 clamped = min(F16::broadcast(88.3f), max(least, x));  // in this order NaN stays NaN
  const F16 n = round(clamped * F16::broadcast(1.44269504088896341f));
  F16 r = fma(n, F16::broadcast(-0.693359375f), clamped);  // ln2 in two parts
  r = fma(n, F16::broadcast(2.12194440054690583e-4f), r);
  F16 p = F16::broadcast(1.3981999507e-3f);
  p = fma(p, r, F16::broadcast(8.3334519073e-3f));
  p = fma(p, r, F16::broadcast(4.1665795894e-2f));
  p = fma(p, r, F16::broadcast(1.6666665459e-1f));
  p = fma(p, r, F16::broadcast(5.0000001201e-1f));
  p = fma(p, r * r, r) + F16::broadcast(1.0f);
  // n reaches 127: 2^n in one factor is still finite.
  const F16 y = p * power_of_two(n);
  return where_less(x, least, F16::zero(), y);
}

// ln x for positive normal x. x = m·2^e, m in [sqrt(1/2), sqrt(2)); ln m = 2 atanh(s), s = (m - 1)/(m + 1).
HEADWATER_INLINE F16 log(F16 x) {
  F16 e;
  const F16 m = split_exponent(x, e);
  const F16 one = F16::broadcast(1.0f);
  const F16 s = (m - one) / (m + one), z = s * s;
  F16 p = F16::broadcast(2.0f / 9);
  p = fma(p, z, F16::broadcast(2.0f / 7));
  p = fma(p, z, F16::broadcast(2.0f / 5));
  p = fma(p, z, F16::broadcast(2.0f / 3));
  const F16 tail = p * z * s;                                              // 2 atanh(s) - 2 s
  const F16 low = fma(e, F16::broadcast(-2.12194440054690583e-4f), tail);  // ln2 in two parts
  return fma(e, F16::broadcast(0.693359375f), fma(s, F16::broadcast(2.0f), low));
}

// tanh x = t/(t + 2) with t = e^(2|x|) - 1; an odd polynomial near 0, where that would cancel.
HEADWATER_INLINE F16 tanh(F16 x) {
  const F16 a = abs(x), one = F16::broadcast(1.0f);
  const F16 e = exp(min(a, F16::broadcast(10.0f)) * F16::broadcast(2.0f));
  const F16 large = one - F16::broadcast(2.0f) / (e + one);
  const F16 z = x * x;
  F16 p = F16::broadcast(-5.70498872745e-3f);
  p = fma(p, z, F16::broadcast(2.06390887954e-2f));
  p = fma(p, z, F16::broadcast(-5.37397155531e-2f));
  p = fma(p, z, F16::broadcast(1.33314422036e-1f));
  p = fma(p, z, F16::broadcast(-3.33332819422e-1f));
  const F16 small = fma(p * z, a, a);
  return with_sign(where_less(a, F16::broadcast(0.625f), small, large), x);
}

// 1/(1 + e^-x)
HEADWATER_INLINE F16 sigmoid(F16 x) {
  const F16 one = F16::broadcast(1.0f);
  return one / (one + exp(F16::zero() - x));
}

// erf x: near 0 the odd series of Abramowitz & Stegun 7.1.5 to x^15, beyond it 1 - t(a1 + ... + a5 t^4)
// e^(-x²) with t = 1/(1 + p x), ib. 7.1.26 (error 1.5e-7).
HEADWATER_INLINE F16 erf(F16 x) {
  const F16 a = abs(x), one = F16::broadcast(1.0f), z = a * a;
  const F16 t = one / fma(F16::broadcast(0.3275911f), a, one);
  F16 q = F16::broadcast(1.061405429f);
  q = fma(q, t, F16::broadcast(-1.453152027f));
  q = fma(q, t, F16::broadcast(1.421413741f));
  q = fma(q, t, F16::broadcast(-0.284496736f));
  q = fma(q, t, F16::broadcast(0.254829592f));
  const F16 large = one - q * t * exp(F16::zero() - z);
  constexpr float kTwoOverRootPi = 1.12837916709551257f;
  F16 p = F16::broadcast(-kTwoOverRootPi / 75600);
  p = fma(p, z, F16::broadcast(kTwoOverRootPi / 9360));
  p = fma(p, z, F16::broadcast(-kTwoOverRootPi / 1320));
  p = fma(p, z, F16::broadcast(kTwoOverRootPi / 216));
  p = fma(p, z, F16::broadcast(-kTwoOverRootPi / 42));
  p = fma(p, z, F16::broadcast(kTwoOverRootPi / 10));
  p = fma(p, z, F16::broadcast(-kTwoOverRootPi / 3));
  const F16 small = fma(p * z, a, a * F16::broadcast(kTwoOverRootPi));
  return with_sign(where_less(a, F16::broadcast(0.8f), small, large), x);
}

}  // namespace headwater::kernels::HEADWATER_ISA
