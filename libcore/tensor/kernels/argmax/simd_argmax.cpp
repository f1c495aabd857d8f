// The search for the largest value of a row.
#include "tensor/kernels/argmax/argmax_table.hpp"
#include "tensor/kernels/simd_row.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

constexpr float kInfinity = __builtin_inff();

// The maximum of each chunk finds the one chunk that must be searched value by value.
std::int32_t argmax(Index n, const float* x, const std::int32_t* skip, Index skips) {
  constexpr Index kChunk = 256;
  Index best = -1;
  for (Index begin = 0; begin < n; begin += kChunk) {
    const Index end = begin + kChunk < n ? begin + kChunk : n;
    bool has_skipped = false;
    for (Index s = 0; s < skips; ++s) has_skipped = has_skipped || (skip[s] >= begin && skip[s] < end);
    if (!has_skipped && best >= 0 && !(maximum(x + begin, end - begin) > x[best])) continue;
    for (Index c = begin; c < end; ++c) {
      bool is_skipped = false;
      for (Index s = 0; has_skipped && s < skips; ++s) is_skipped = is_skipped || skip[s] == c;
      if (!is_skipped && (best < 0 || x[c] > x[best])) best = c;
    }
  }
  return static_cast<std::int32_t>(best);
}

Largest largest(Index n, const float* x) {
  f32x16 most[4];
  for (f32x16& part : most) part = f32x16::broadcast(-kInfinity);
  Index i = 0;
  for (; i + 64 <= n; i += 64) {
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) most[p] = max(most[p], f32x16::load(x + i + 16 * p));
  }
  for (; i < n; i += 16) most[0] = max(most[0], load_or(x + i, n - i, -kInfinity));
  const float value = reduce_max(max(max(most[0], most[1]), max(most[2], most[3])));
  const f32x16 wanted = f32x16::broadcast(value);
  for (i = 0; value > -kInfinity && i < n; i += 16) {
    if (!any(equal(load_or(x + i, n - i, -kInfinity), wanted))) continue;
    for (Index c = i; c < n; ++c) {
      if (x[c] == value) return {value, static_cast<std::int32_t>(c)};
    }
  }
  return {-kInfinity, -1};
}

}  // namespace

extern const ArgmaxTable argmax_functions;
const ArgmaxTable argmax_functions{argmax, largest};

}  // namespace headwater::kernels::HEADWATER_ISA
