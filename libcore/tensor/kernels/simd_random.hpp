// Words of support/random.hpp for 64 consecutive elements at once: 16 counter blocks side by side.
#pragma once

#include "tensor/kernels/row_tables.hpp"
#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

// The words of 64 elements, 16 in each group.
struct Words64 {
  I16 group[4];
};

// Counters stand in lanes of 64 bits, so that a product of 32 bits has room; what is in the upper halves of
// words is never read.
#if defined(HEADWATER_ISA_avx512)
using WordVector = __m512i;
inline constexpr int kBlocks = 8;  // counters in a vector
HEADWATER_INLINE WordVector words_of(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
HEADWATER_INLINE WordVector multiply_wide(WordVector a, WordVector b) { return _mm512_mul_epu32(a, b); }
HEADWATER_INLINE WordVector upper_half(WordVector a) { return _mm512_srli_epi64(a, 32); }
HEADWATER_INLINE WordVector exclusive_or(WordVector a, WordVector b, WordVector c) {
  return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}
// Numbers of blocks, so that merge() leaves them in order.
HEADWATER_INLINE WordVector first_counters(std::uint32_t block) {
  return _mm512_add_epi64(_mm512_set1_epi64(block), _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7));
}
HEADWATER_INLINE void merge(const WordVector (&c)[4], I16* groups) {
  const __m512i ab = _mm512_mask_blend_epi32(0xAAAA, c[0], _mm512_slli_epi64(c[1], 32));
  const __m512i cd = _mm512_mask_blend_epi32(0xAAAA, c[2], _mm512_slli_epi64(c[3], 32));
  groups[0] = {_mm512_unpacklo_epi64(ab, cd)};
  groups[1] = {_mm512_unpackhi_epi64(ab, cd)};
}
#elif defined(HEADWATER_ISA_avx2)
using WordVector = __m256i;
inline constexpr int kBlocks = 4;
HEADWATER_INLINE WordVector words_of(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
HEADWATER_INLINE WordVector multiply_wide(WordVector a, WordVector b) { return _mm256_mul_epu32(a, b); }
HEADWATER_INLINE WordVector upper_half(WordVector a) { return _mm256_srli_epi64(a, 32); }
HEADWATER_INLINE WordVector exclusive_or(WordVector a, WordVector b, WordVector c) {
  return _mm256_xor_si256(_mm256_xor_si256(a, b), c);
}
HEADWATER_INLINE WordVector first_counters(std::uint32_t block) {
  return _mm256_add_epi64(_mm256_set1_epi64x(block), _mm256_setr_epi64x(0, 2, 1, 3));
}
HEADWATER_INLINE void merge(const WordVector (&c)[4], I16* groups) {
  const __m256i ab = _mm256_blend_epi32(c[0], _mm256_slli_epi64(c[1], 32), 0xAA);
  const __m256i cd = _mm256_blend_epi32(c[2], _mm256_slli_epi64(c[3], 32), 0xAA);
  groups[0] = {_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd)};
}
#endif

// The keys of the ten rounds.
struct PhiloxKeys {
  std::uint32_t k0[10], k1[10];
};
HEADWATER_INLINE PhiloxKeys philox_keys(const RandomStream& stream) {
  PhiloxKeys keys;
  for (std::uint32_t round = 0; round < 10; ++round) {
    keys.k0[round] = static_cast<std::uint32_t>(stream.seed) + round * 0x9E3779B9u;
    keys.k1[round] = static_cast<std::uint32_t>(stream.seed >> 32) + round * 0xBB67AE85u;
  }
  return keys;
}

#if defined(HEADWATER_ISA_avx512) || defined(HEADWATER_ISA_avx2)
// Ten rounds on counters c (word by word, a lane each block).
HEADWATER_INLINE void philox_rounds(const PhiloxKeys& keys, WordVector (&c)[4]) {
  const WordVector m0 = words_of(0xD2511F53u), m1 = words_of(0xCD9E8D57u);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const WordVector p0 = multiply_wide(c[0], m0), p1 = multiply_wide(c[2], m1);
    c[0] = exclusive_or(upper_half(p1), c[1], words_of(keys.k0[round]));
    c[2] = exclusive_or(upper_half(p0), c[3], words_of(keys.k1[round]));
    c[1] = p1;
    c[3] = p0;
  }
}
#endif

// The words of elements 4·block .. 4·block + 16·V - 1 of the stream, in the first V groups (whatever they
// are, those behind may be written too).
template <int V>
HEADWATER_INLINE void random_words(const RandomStream& stream, const PhiloxKeys& keys, std::uint64_t block,
                                   Words64& words) {
  const std::uint32_t purpose = static_cast<std::uint32_t>(stream.purpose) << 24;
#if defined(HEADWATER_ISA_avx512) || defined(HEADWATER_ISA_avx2)
  if (static_cast<std::uint32_t>(block) <= 0xFFFFFFFFu - 15) {  // all 16 counters share their high word
    const WordVector high = words_of((static_cast<std::uint32_t>(block >> 32) & 0xFFFFFFu) | purpose);
    const WordVector layer = words_of(stream.layer), step = words_of(stream.step);
#pragma GCC unroll 4
    for (int first = 0; first < 4 * V; first += kBlocks) {
      WordVector c[4] = {
          first_counters(static_cast<std::uint32_t>(block) + static_cast<std::uint32_t>(first)), high, layer,
          step};
      philox_rounds(keys, c);
      merge(c, words.group + first / 4);
    }
    return;
  }
#endif
  std::uint32_t plain[16 * V];
  for (unsigned i = 0; i < 4 * V; ++i) {
    const std::uint64_t number = block + i;
    std::uint32_t c0 = static_cast<std::uint32_t>(number);
    std::uint32_t c1 = (static_cast<std::uint32_t>(number >> 32) & 0xFFFFFFu) | purpose;
    std::uint32_t c2 = stream.layer, c3 = stream.step;
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0, p1 = std::uint64_t{0xCD9E8D57u} * c2;
      c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ keys.k0[round];
      c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ keys.k1[round];
      c1 = static_cast<std::uint32_t>(p1);
      c3 = static_cast<std::uint32_t>(p0);
    }
    plain[4 * i] = c0;
    plain[4 * i + 1] = c1;
    plain[4 * i + 2] = c2;
    plain[4 * i + 3] = c3;
  }
  __builtin_memcpy(&words, plain, sizeof plain);
}

// `kept` in the lanes whose word is at least the rule's bound, 0 in the others.
HEADWATER_INLINE F16 keep(const DropoutRule& rule, I16 words, F16 kept) {
#if defined(HEADWATER_ISA_avx512)
  return {_mm512_maskz_mov_ps(_mm512_cmpge_epu32_mask(words.v, words_of(rule.bound)), kept.v)};
#elif defined(HEADWATER_ISA_avx2)
  const __m256i bound = words_of(rule.bound);
  const auto part = [bound](__m256i word, __m256 value) {
    return _mm256_and_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_max_epu32(word, bound), word)), value);
  };
  return {part(words.lo, kept.lo), part(words.hi, kept.hi)};
#else
  std::uint32_t word[16];
  float value[16];
  __builtin_memcpy(word, &words, sizeof word);
  kept.store(value);
  for (int lane = 0; lane < 16; ++lane) value[lane] = word[lane] >= rule.bound ? value[lane] : 0.0f;
  return F16::load(value);
#endif
}

}  // namespace headwater::kernels::HEADWATER_ISA
