// Products of bytes with sums of 32 bits, for the files kernels/simd_*.cpp only. Whole numbers: exact, and so
// the same for every vector width.
#pragma once

#include <cstdint>

#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

// load_whole: 16 whole numbers, or 64 bytes. add_products: sum[l] + Σ_i a[4·l + i]·b[4·l + i] with a in
// [0, 255] and b in [-127, 127]; add_small_products: with a in [0, 127]. store_bytes: the lowest byte of
// each.
#if defined(HEADWATER_ISA_avx512)
HEADWATER_INLINE i32x16 load_whole(const void* p) { return {_mm512_loadu_si512(p)}; }
// Spelt out, as the file is compiled for processors without it too; kernels/isa.cpp asks.
HEADWATER_INLINE i32x16 add_products(i32x16 sum, i32x16 a, i32x16 b) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.v) : "v"(a.v), "v"(b.v));
  return sum;
}
HEADWATER_INLINE i32x16 add_small_products(i32x16 sum, i32x16 a, i32x16 b) { return add_products(sum, a, b); }
HEADWATER_INLINE void store_bytes(i32x16 x, std::uint8_t* to) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(x.v));
}
#elif defined(HEADWATER_ISA_avx2)
HEADWATER_INLINE i32x16 load_whole(const void* p) {
  const auto* const halves = static_cast<const __m256i*>(p);
  return {_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
}
// The even bytes and the odd ones in 16 bits each: pairs of products of whole bytes do not fit these.
HEADWATER_INLINE __m256i products_of(__m256i a, __m256i b) {
  const __m256i even = _mm256_madd_epi16(_mm256_and_si256(a, _mm256_set1_epi16(255)),
                                         _mm256_srai_epi16(_mm256_slli_epi16(b, 8), 8));
  return _mm256_add_epi32(even, _mm256_madd_epi16(_mm256_srli_epi16(a, 8), _mm256_srai_epi16(b, 8)));
}
HEADWATER_INLINE i32x16 add_products(i32x16 sum, i32x16 a, i32x16 b) {
  return sum + i32x16{products_of(a.lo, b.lo), products_of(a.hi, b.hi)};
}
HEADWATER_INLINE i32x16 add_small_products(i32x16 sum, i32x16 a, i32x16 b) {
  const __m256i one = _mm256_set1_epi16(1);
  return sum + i32x16{_mm256_madd_epi16(_mm256_maddubs_epi16(a.lo, b.lo), one),
                      _mm256_madd_epi16(_mm256_maddubs_epi16(a.hi, b.hi), one)};
}
HEADWATER_INLINE void store_bytes(i32x16 x, std::uint8_t* to) {
  const auto words = [](__m256i half) {
    const __m256i bytes = _mm256_and_si256(half, _mm256_set1_epi32(255));
    return _mm_packus_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
  };
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words(x.lo), words(x.hi)));
}
#else
HEADWATER_INLINE i32x16 load_whole(const void* p) {
  i32x16 whole;
  __builtin_memcpy(&whole, p, sizeof(whole));
  return whole;
}
HEADWATER_INLINE i32x16 add_products(i32x16 sum, i32x16 a, i32x16 b) {
  for (int q = 0; q < 4; ++q) {
    for (int i = 0; i < 4; ++i) sum.v[q] += (a.v[q] >> 8 * i & 255) * (b.v[q] << (24 - 8 * i) >> 24);
  }
  return sum;
}
HEADWATER_INLINE i32x16 add_small_products(i32x16 sum, i32x16 a, i32x16 b) { return add_products(sum, a, b); }
HEADWATER_INLINE void store_bytes(i32x16 x, std::uint8_t* to) {
  for (int l = 0; l < 16; ++l) to[l] = static_cast<std::uint8_t>(x.v[l / 4][l % 4]);
}
#endif

// Added to a number, it leaves the nearest whole one, of two the even one, in the lowest bits.
inline constexpr float kNearestWhole = 0x1.8p23f;

}  // namespace headwater::kernels::HEADWATER_ISA
