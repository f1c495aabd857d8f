// The search for the largest value of a row; its largest logits and the logarithm of the sum of their
// exponentials, block by block.
#include "tensor/kernels/argmax/argmax_table.hpp"
#include "tensor/kernels/simd_row.hpp"
#include "tensor/simd_math.hpp"

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

namespace {

void sum_block(Index n, const float* x, float* most, float* sum) {
  *most = maximum(x, n);
  const f32x16 shift = f32x16::broadcast(*most);
  f32x16 total = f32x16::zero();
  Index i = 0;
  for (; i + 64 <= n; i += 64) {
    f32x16 part[4];
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) part[p] = f32x16::load(x + i + 16 * p) - shift;
    exp_of_negative(part);
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) total = total + part[p];
  }
  for (; i + 16 <= n; i += 16) total = total + exp(f32x16::load(x + i) - shift);
  if (i < n) total = total + exp(load_or(x + i, n - i, -kInfinity) - shift);
  *sum = reduce_add(total);
}

float log_of_sums(Index blocks, const float* most, const float* sums) {
  const float largest = maximum(most, blocks);
  const f32x16 shift = f32x16::broadcast(largest);
  f32x16 total = f32x16::zero();
  for (Index b = 0; b < blocks; b += 16) {
    const f32x16 factor = exp(load_or(most + b, blocks - b, -kInfinity) - shift);
    total = total + load_or(sums + b, blocks - b, 0) * factor;
  }
  return largest + first_lane(log(f32x16::broadcast(reduce_add(total))));
}

// A logit moves those that are smaller one place down; equal ones stay before it.
void insert(TopLogit logit, Index count, TopLogit* top) {
  Index place = count - 1;
  for (; place > 0 && top[place - 1].value < logit.value; --place) top[place] = top[place - 1];
  top[place] = logit;
}

// At least `count` of the logits are as large: the `count`-th of the largest ones of 16 interleaved parts.
float bound_of(Index n, const float* x, Index count) {
  f32x16 largest = f32x16::broadcast(-kInfinity);
  for (Index i = 0; i < n; i += 16) largest = max(largest, load_or(x + i, n - i, -kInfinity));
  float lanes[16], bound = -kInfinity;
  largest.store(lanes);
  for (const float lane : lanes) {
    const unsigned smaller = lane_bits(less(largest, f32x16::broadcast(lane)));
    if (16 - __builtin_popcount(smaller) >= count && lane > bound) bound = lane;
  }
  return bound;
}

void select(Index n, const float* x, std::int32_t first, Index count, TopLogit* top) {
  // A list that is not full would take all that come, and push most of them out again.
  const f32x16 bound = f32x16::broadcast(top[count - 1].column < 0 ? bound_of(n, x, count) : -kInfinity);
  f32x16 least = f32x16::broadcast(top[count - 1].value);
  for (Index i = 0; i < n; i += 16) {
    const f32x16 logits = load_or(x + i, n - i, -kInfinity);
    unsigned chosen = lane_bits(less(least, logits)) & ~lane_bits(less(logits, bound));
    if (chosen == 0) continue;
    for (; chosen != 0; chosen &= chosen - 1) {
      const Index c = i + __builtin_ctz(chosen);
      if (x[c] > top[count - 1].value) insert({x[c], first + static_cast<std::int32_t>(c)}, count, top);
    }
    least = f32x16::broadcast(top[count - 1].value);
  }
}

}  // namespace

extern const TopLogitsTable top_logits_functions;
const TopLogitsTable top_logits_functions{sum_block, log_of_sums, select};

}  // namespace headwater::kernels::HEADWATER_ISA
