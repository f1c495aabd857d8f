// Words of support/random.hpp, many counters at once.
#pragma once

#include "tensor/kernels/dropout/dropout_table.hpp"
#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

// A stream with the keys of its ten rounds.
struct Philox {
  RandomStream stream;
  std::uint32_t k0[10], k1[10];
  // The second word of a counter.
  HEADWATER_INLINE std::uint32_t high_word(std::uint64_t block) const {
    return (static_cast<std::uint32_t>(block >> 32) & 0xFFFFFFu) |
           (static_cast<std::uint32_t>(stream.purpose) << 24);
  }
};
HEADWATER_INLINE Philox philox_of(const RandomStream& stream) {
  Philox philox;
  philox.stream = stream;
  for (std::uint32_t round = 0; round < 10; ++round) {
    philox.k0[round] = static_cast<std::uint32_t>(stream.seed) + round * 0x9E3779B9u;
    philox.k1[round] = static_cast<std::uint32_t>(stream.seed >> 32) + round * 0xBB67AE85u;
  }
  return philox;
}

// Words in rows of groups of 16: those of group (r, g) belong to the elements from
// 4·(first_block + r·row_blocks) + 16·g on and go to to[r·to_row + g].
inline constexpr Index kMaxWordGroups = 192;  // in all
struct WordRows {
  std::uint64_t first_block, row_blocks = 0;
  Index rows = 1, groups;
  i32x16* to;
  Index to_row = 0;
};

void random_words(const Philox& philox, const WordRows& rows);  // in simd_random.cpp

// `kept` in the lanes whose word is at least the rule's bound, 0 in the others.
HEADWATER_INLINE f32x16 keep(const DropoutRule& rule, i32x16 words, f32x16 kept) {
#if defined(HEADWATER_ISA_avx512)
  return {_mm512_maskz_mov_ps(
      _mm512_cmpge_epu32_mask(words.v, _mm512_set1_epi32(static_cast<int>(rule.bound))), kept.v)};
#elif defined(HEADWATER_ISA_avx2)
  const __m256i bound = _mm256_set1_epi32(static_cast<int>(rule.bound));
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
  return f32x16::load(value);
#endif
}

}  // namespace headwater::kernels::HEADWATER_ISA
