// Philox for many counters at once; a function of its own, so that its state has all registers.

#include "tensor/kernels/dropout/simd_random.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// Counters stand in lanes of 64 bits, so that a product of 32 bits has room; what is in the upper halves of
// words is never read.
#if defined(HEADWATER_ISA_avx512)
using WordVector = __m512i;
inline constexpr int kGroups = 2;      // of four counters, in a vector
inline constexpr int kSideBySide = 6;  // vectors that fit the registers
HEADWATER_INLINE WordVector words_of(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
HEADWATER_INLINE WordVector multiply_wide(WordVector a, WordVector b) { return _mm512_mul_epu32(a, b); }
HEADWATER_INLINE WordVector upper_half(WordVector a) { return _mm512_shuffle_epi32(a, _MM_PERM_DDBB); }
HEADWATER_INLINE WordVector exclusive_or(WordVector a, WordVector b, WordVector c) {
  return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}
HEADWATER_INLINE WordVector exclusive_or(WordVector a, WordVector b) { return _mm512_xor_si512(a, b); }
// Four counters from each of these on, so that merge() leaves them in order.
HEADWATER_INLINE WordVector counters_from(const std::int64_t* block) {
  const __m512i first = _mm512_mask_set1_epi64(_mm512_set1_epi64(block[0]), 0xAA, block[1]);
  return _mm512_add_epi64(first, _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3));
}
HEADWATER_INLINE void merge(WordVector c0, WordVector c1, WordVector c2, WordVector c3, i32x16* const* to) {
  const __m512i ab = _mm512_mask_blend_epi32(0xAAAA, c0, _mm512_slli_epi64(c1, 32));
  const __m512i cd = _mm512_mask_blend_epi32(0xAAAA, c2, _mm512_slli_epi64(c3, 32));
  *to[0] = {_mm512_unpacklo_epi64(ab, cd)};
  *to[1] = {_mm512_unpackhi_epi64(ab, cd)};
}
#elif defined(HEADWATER_ISA_avx2)
using WordVector = __m256i;
inline constexpr int kGroups = 1;
inline constexpr int kSideBySide = 2;
HEADWATER_INLINE WordVector words_of(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
HEADWATER_INLINE WordVector multiply_wide(WordVector a, WordVector b) { return _mm256_mul_epu32(a, b); }
HEADWATER_INLINE WordVector upper_half(WordVector a) { return _mm256_shuffle_epi32(a, 0xF5); }
HEADWATER_INLINE WordVector exclusive_or(WordVector a, WordVector b, WordVector c) {
  return _mm256_xor_si256(_mm256_xor_si256(a, b), c);
}
HEADWATER_INLINE WordVector exclusive_or(WordVector a, WordVector b) { return _mm256_xor_si256(a, b); }
HEADWATER_INLINE WordVector counters_from(const std::int64_t* block) {
  return _mm256_add_epi64(_mm256_set1_epi64x(block[0]), _mm256_setr_epi64x(0, 2, 1, 3));
}
HEADWATER_INLINE void merge(WordVector c0, WordVector c1, WordVector c2, WordVector c3, i32x16* const* to) {
  const __m256i ab = _mm256_blend_epi32(c0, _mm256_slli_epi64(c1, 32), 0xAA);
  const __m256i cd = _mm256_blend_epi32(c2, _mm256_slli_epi64(c3, 32), 0xAA);
  *to[0] = {_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd)};
}
#endif

inline constexpr std::uint32_t kPhilox0 = 0xD2511F53u, kPhilox1 = 0xCD9E8D57u;

#if defined(HEADWATER_ISA_avx512) || defined(HEADWATER_ISA_avx2)
// The ten rounds, a lane each block. Only the first of a counter's words differs between the lanes, so half
// of the first two rounds is the same for all and done once.
class PhiloxLanes {
 public:
  // `high`: the second word of the counters.
  HEADWATER_INLINE PhiloxLanes(const Philox& philox, std::uint32_t high) : philox_(philox) {
    const std::uint64_t p1 = std::uint64_t{kPhilox1} * philox.stream.layer;
    const std::uint32_t c0 = static_cast<std::uint32_t>(p1 >> 32) ^ high ^ philox.k0[0];
    const std::uint64_t p0 = std::uint64_t{kPhilox0} * c0;
    first_ = words_of(philox.stream.step ^ philox.k1[0]);
    second_0_ = words_of(static_cast<std::uint32_t>(p1) ^ philox.k0[1]);
    second_1_ = words_of(static_cast<std::uint32_t>(p0 >> 32) ^ philox.k1[1]);
    third_ = words_of(static_cast<std::uint32_t>(p0) ^ philox.k1[2]);
  }
  // The words of N vectors of groups that begin at these blocks, side by side: a chain of rounds alone would
  // wait for each of its products.
  template <int N>
  HEADWATER_INLINE void draw(const std::int64_t* block, i32x16* const* to) const {
    const WordVector m0 = words_of(kPhilox0), m1 = words_of(kPhilox1);
    WordVector c0[N], c1[N], c2[N], c3[N];
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) {
      const WordVector p0 = multiply_wide(counters_from(block + i * kGroups), m0);
      c1[i] = multiply_wide(exclusive_or(upper_half(p0), first_), m1);
      c0[i] = exclusive_or(upper_half(c1[i]), second_0_);
      c2[i] = exclusive_or(p0, second_1_);
    }
#pragma GCC unroll 8
    for (int round = 2; round < 10; ++round) {
#pragma GCC unroll 8
      for (int i = 0; i < N; ++i) {
        const WordVector p0 = multiply_wide(c0[i], m0), p1 = multiply_wide(c2[i], m1);
        c0[i] = exclusive_or(upper_half(p1), c1[i], words_of(philox_.k0[round]));
        c2[i] = round == 2 ? exclusive_or(upper_half(p0), third_)
                           : exclusive_or(upper_half(p0), c3[i], words_of(philox_.k1[round]));
        c1[i] = p1;
        c3[i] = p0;
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) merge(c0[i], c1[i], c2[i], c3[i], to + i * kGroups);
  }

 private:
  const Philox& philox_;
  WordVector first_, second_0_, second_1_, third_;
};
#endif

// One group.
void plain_words(const Philox& philox, std::uint64_t block, i32x16& to) {
  std::uint32_t plain[16];
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::uint64_t number = block + i;
    std::uint32_t c0 = static_cast<std::uint32_t>(number);
    std::uint32_t c1 = philox.high_word(number), c2 = philox.stream.layer, c3 = philox.stream.step;
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t p0 = std::uint64_t{kPhilox0} * c0, p1 = std::uint64_t{kPhilox1} * c2;
      c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ philox.k0[round];
      c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ philox.k1[round];
      c1 = static_cast<std::uint32_t>(p1);
      c3 = static_cast<std::uint32_t>(p0);
    }
    plain[4 * i] = c0;
    plain[4 * i + 1] = c1;
    plain[4 * i + 2] = c2;
    plain[4 * i + 3] = c3;
  }
  __builtin_memcpy(&to, plain, sizeof plain);
}

}  // namespace

void random_words(const Philox& philox, const WordRows& rows) {
  const auto block_of = [&](Index r, Index g) {
    return rows.first_block + static_cast<std::uint64_t>(r) * rows.row_blocks +
           static_cast<std::uint64_t>(4 * g);
  };
#if defined(HEADWATER_ISA_avx512) || defined(HEADWATER_ISA_avx2)
  const std::uint64_t last_block = block_of(rows.rows - 1, rows.groups) - 1;
  if (rows.first_block >> 32 == last_block >> 32) {  // all counters share their high word
    const PhiloxLanes lanes(philox, philox.high_word(rows.first_block));
    std::int64_t block[kMaxWordGroups + kGroups];  // of which the low half counts
    i32x16* to[kMaxWordGroups + kGroups];
    Index count = 0;
    for (Index r = 0; r < rows.rows; ++r) {
      for (Index g = 0; g < rows.groups; ++g, ++count) {
        block[count] = static_cast<std::int64_t>(block_of(r, g));
        to[count] = rows.to + r * rows.to_row + g;
      }
    }
    // There is a row. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign)
    block[count] = block[count - 1];  // fills the last vector
    to[count] = to[count - 1];
    for_each_part<kSideBySide>((count + kGroups - 1) / kGroups, [&]<int N>(Index first) {
      lanes.template draw<N>(block + first * kGroups, to + first * kGroups);
    });
    return;
  }
#endif
  for (Index r = 0; r < rows.rows; ++r) {
    for (Index g = 0; g < rows.groups; ++g) plain_words(philox, block_of(r, g), rows.to[r * rows.to_row + g]);
  }
}

}  // namespace headwater::kernels::HEADWATER_ISA
