// Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2,
// 3"). value = f(seed, purpose, layer, step, element); there is no generator state to save and no order to
// keep.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace headwater {

// What a stream of random numbers is for; the numbers are part of every run's definition and never change.
enum class Purpose : std::uint32_t {
  initialize = 1,
  dropout = 2,
  epoch_order = 3,
  split = 4,
  sample = 5,
  attention_dropout = 6,
  image_augmentation = 7,
  masking = 8,
  token_order = 9
};

// One stream. `layer` tells apart the users of one purpose within a step.
struct RandomStream {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::initialize;
  std::uint32_t layer = 0;
  std::uint32_t step = 0;
};

// The four 32-bit words of counter block `block` of the stream.
// Key: the low and high half of the seed. Counter: block low word, block high word (24 bits) and purpose (8
// bits), layer, step.
constexpr std::array<std::uint32_t, 4> philox_block(const RandomStream& stream, std::uint64_t block) {
  std::uint32_t c0 = static_cast<std::uint32_t>(block);
  std::uint32_t c1 = (static_cast<std::uint32_t>(block >> 32) & 0xFFFFFFu) |
                     (static_cast<std::uint32_t>(stream.purpose) << 24);
  std::uint32_t c2 = stream.layer;
  std::uint32_t c3 = stream.step;
  std::uint32_t k0 = static_cast<std::uint32_t>(stream.seed);
  std::uint32_t k1 = static_cast<std::uint32_t>(stream.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {c0, c1, c2, c3};
}

// The 32-bit word of element `element`: word element mod 4 of block element / 4.
constexpr std::uint32_t random_word(const RandomStream& stream, std::uint64_t element) {
  return philox_block(stream, element / 4)[element % 4];
}

// Uniform in [0, 1) with 24 bits.
constexpr float random_uniform(const RandomStream& stream, std::uint64_t element) {
  return static_cast<float>(random_word(stream, element) >> 8) * 0x1p-24f;
}

// Unbiased enough for shuffles: floor(word64 * bound / 2^64) of the 64 bits at blocks of two words.
std::uint64_t random_below(const RandomStream& stream, std::uint64_t element, std::uint64_t bound);

// The order of `count` examples: Fisher-Yates from the stream.
std::vector<std::uint32_t> random_order(const RandomStream& stream, std::size_t count);

}  // namespace headwater
