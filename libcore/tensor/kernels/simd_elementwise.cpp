// Elementwise kernels over n consecutive values.
#include "tensor/kernels/row_tables.hpp"
#include "tensor/kernels/simd_random.hpp"
#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// f(at, load, store) for each group of 16 values: the last, shorter one through partial loads and stores.
struct Whole {
  static F16 load(const float* x, Index) { return F16::load(x); }
  static void store(F16 value, float* x, Index) { value.store(x); }
};
struct Partial {
  static F16 load(const float* x, Index lanes) { return F16::load_partial(x, lanes); }
  static void store(F16 value, float* x, Index lanes) { value.store_partial(x, lanes); }
};
template <class F>
void for_each_group(Index n, const F& f) {
  Index i = 0;
  for (; i + 16 <= n; i += 16) f(i, Index{16}, Whole{});
  if (i < n) f(i, n - i, Partial{});
}

void fill(Index n, float value, float* y) {
  const F16 v = F16::broadcast(value);
  for_each_group(n, [&](Index i, Index lanes, auto part) { part.store(v, y + i, lanes); });
}

void add(Index n, const float* a, const float* b, float* y) {
  for_each_group(n, [&](Index i, Index lanes, auto part) {
    part.store(part.load(a + i, lanes) + part.load(b + i, lanes), y + i, lanes);
  });
}

void scale(Index n, const float* x, float factor, float* y, bool accumulate) {
  const F16 f = F16::broadcast(factor);
  if (accumulate) {
    for_each_group(n, [&](Index i, Index lanes, auto part) {
      part.store(fma(f, part.load(x + i, lanes), part.load(y + i, lanes)), y + i, lanes);
    });
  } else {
    for_each_group(
        n, [&](Index i, Index lanes, auto part) { part.store(f * part.load(x + i, lanes), y + i, lanes); });
  }
}

void copy(Index n, const float* x, float* y) {
  for_each_group(n,
                 [&](Index i, Index lanes, auto part) { part.store(part.load(x + i, lanes), y + i, lanes); });
}

void transpose_16(const float* x, Index stride, Index cols, float* to, Index step) {
  transpose_panel(x, stride, 16, cols, to, step);
}

void dropout(Index n, const float* x, const DropoutRule& rule, std::uint64_t first_element, float* y,
             bool accumulate) {
  const F16 factor = F16::broadcast(rule.scale);
  // Words come in blocks of four elements; the values may begin inside one: then the words go through memory.
  const unsigned skipped = static_cast<unsigned>(first_element % 4);
  const Philox philox = philox_of(rule.stream);
  constexpr Index kWords = 192;
  for (Index i = 0; i < n;) {
    I16 words[kWords / 16];
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
      F16 value = keep(rule, words[j / 16], part.load(x + i + j, lanes) * factor);
      if (accumulate) value = part.load(y + i + j, lanes) + value;
      part.store(value, y + i + j, lanes);
    });
    i += count;
  }
}

}  // namespace

extern const ElementwiseTable elementwise_functions;
const ElementwiseTable elementwise_functions{fill, add, scale, copy, transpose_16, dropout};

}  // namespace headwater::kernels::HEADWATER_ISA
