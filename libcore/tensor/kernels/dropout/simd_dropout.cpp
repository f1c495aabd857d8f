// Dropout of n consecutive values.
#include "tensor/kernels/dropout/simd_random.hpp"
#include "tensor/kernels/simd_row.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

void dropout(Index n, const float* x, const DropoutRule& rule, std::uint64_t first_element, float* y,
             bool accumulate) {
  const f32x16 factor = f32x16::broadcast(rule.scale);
  // Words come in blocks of four elements; the values may begin inside one: then the words go through memory.
  const unsigned skipped = static_cast<unsigned>(first_element % 4);
  const Philox philox = philox_of(rule.stream);
  constexpr Index kWords = 192;
  for (Index i = 0; i < n;) {
    i32x16 words[kWords / 16];
    const Index left = n - i + (i == 0 ? skipped : 0), drawn = left < kWords ? left : kWords;
    random_words(philox, {.first_block = (first_element + static_cast<std::uint64_t>(i)) / 4,
                          .groups = (drawn + 15) / 16,
                          .to = words});
    Index count = drawn;
    if (i == 0 && skipped > 0) {
      std::uint32_t shifted[kWords];
      count -= skipped;
      __builtin_memcpy(shifted, reinterpret_cast<const char*>(words) + 4 * skipped,
                       sizeof words - 4 * skipped);
      __builtin_memcpy(words, shifted, sizeof words);
    }
    for_each_group(count, [&](Index j, Index lanes, auto part) {
      f32x16 value = keep(rule, words[j / 16], part.load(x + i + j, lanes) * factor);
      if (accumulate) value = part.load(y + i + j, lanes) + value;
      part.store(value, y + i + j, lanes);
    });
    i += count;
  }
}

}  // namespace

extern const DropoutTable dropout_functions;
const DropoutTable dropout_functions{dropout};

}  // namespace headwater::kernels::HEADWATER_ISA
