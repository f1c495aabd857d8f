// Words of support/random.hpp for 64 consecutive elements at once; plain loops over 16 counter blocks that
// the compiler vectorises.
#pragma once

#include "tensor/kernels/row_tables.hpp"

namespace headwater::kernels::HEADWATER_ISA {

// words[0..64) = the words of elements 4·block .. 4·block + 63 of the stream.
inline void random_words(const RandomStream& stream, std::uint64_t block, std::uint32_t* words) {
  std::uint32_t c0[16], c1[16], c2[16], c3[16];
  for (unsigned i = 0; i < 16; ++i) {
    c0[i] = static_cast<std::uint32_t>(block + i);
    c1[i] = (static_cast<std::uint32_t>((block + i) >> 32) & 0xFFFFFFu) |
            (static_cast<std::uint32_t>(stream.purpose) << 24);
    c2[i] = stream.layer;
    c3[i] = stream.step;
  }
  std::uint32_t k0 = static_cast<std::uint32_t>(stream.seed),
                k1 = static_cast<std::uint32_t>(stream.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (unsigned i = 0; i < 16; ++i) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0[i], p1 = std::uint64_t{0xCD9E8D57u} * c2[i];
      const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1[i] ^ k0;
      const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3[i] ^ k1;
      c1[i] = static_cast<std::uint32_t>(p1);
      c3[i] = static_cast<std::uint32_t>(p0);
      c0[i] = n0;
      c2[i] = n2;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (unsigned i = 0; i < 16; ++i) {
    words[4 * i] = c0[i];
    words[4 * i + 1] = c1[i];
    words[4 * i + 2] = c2[i];
    words[4 * i + 3] = c3[i];
  }
}

// factors[0..64): what dropout multiplies elements first .. first + 63 with; first is a multiple of 4.
inline void dropout_factors(const DropoutRule& rule, std::uint64_t first, float* factors) {
  std::uint32_t words[64];
  random_words(rule.stream, first / 4, words);
  for (unsigned j = 0; j < 64; ++j) factors[j] = words[j] >= rule.bound ? rule.scale : 0.0f;
}

}  // namespace headwater::kernels::HEADWATER_ISA
