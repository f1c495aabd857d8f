// The search for the largest values of a row, once for each vector width.
#pragma once

#include <cstdint>

#include "tensor/kernels/argmax/argmax.hpp"
#include "tensor/kernels/argmax/logit_bounds.hpp"
#include "tensor/matrix.hpp"

namespace headwater::kernels {

// The first of the largest values; index -1 where none is above -infinity.
struct Largest {
  float value;
  std::int32_t index;
};

struct ArgmaxTable {
  std::int32_t (*argmax)(Index n, const float* x, const std::int32_t* skip, Index skips);
  Largest (*largest)(Index n, const float* x);
};

inline constexpr Index kTopBlock = 256;  // columns

struct TopLogitsTable {
  // The largest of n <= kTopBlock logits, to *most, and Σ exp(logit - *most), to *sum.
  void (*sum)(Index n, const float* x, float* most, float* sum);
  // ln of the sum over blocks: ln Σ sums[b]·exp(most[b]).
  float (*log_of_sums)(Index blocks, const float* most, const float* sums);
  // Puts logits x[0..n) of the columns from `first` on among the `count` that were found before.
  void (*select)(Index n, const float* x, std::int32_t first, Index count, TopLogit* top);
};

// The search for the largest logit by bounds from bytes; logit_bounds.cpp cuts the work into tasks and
// computes the logits of the candidates.

inline constexpr Index kBoundsGroup = 64;                // columns that are bounded side by side
inline constexpr Index kBoundsBlock = 4 * kBoundsGroup;  // columns whose bounds are searched at once
inline constexpr std::int32_t kBoundsZeroPoint = 64;

// A row x of inputs in bytes: x = factor·(byte - 64) + a rest. |x·w[:, c] - factor·(bytes - 64)·bytes[:, c]·
// scales[c]| <= error·scales[c], the rounding of the chain in floats and of the bound included; error is not
// finite where the row is too large or too small for this.
struct BoundsRow {
  float factor, error;
};

// A panel of columns that may hold the largest logit of its row, which is at most `upper`.
struct Candidate {
  float upper;
  std::int32_t panel;
};
struct Candidates {
  static constexpr int kMost = 31;
  float least;    // some logit is at least this
  float dropped;  // panels that are at most this are left out: a full list keeps the likelier ones
  int count;
  Candidate list[kMost];
};
// Bounds carry a last rounding relative to themselves: where a logit is at least `least`, one whose upper
// bound is not above this is smaller. Not a number where that cannot be said.
inline __attribute__((always_inline)) float bounds_reach(float least) {
  return least - __builtin_fabsf(least) * 0x1p-19f - 0x1p-126f;
}

struct BoundsTask {
  const std::uint8_t* x;  // [rows][int8_row_bytes(K)]
  const BoundsRow* row;
  Index rows, K;
  const std::int8_t* bytes;  // of the first column of the block
  const float* scales;
  const std::int32_t* starts;
  const float* bias;  // -infinity for columns that may not be chosen
  Index first_panel, groups;
  float* scratch;     // bounds_scratch(rows) floats
  Candidates* found;  // [rows]
};
inline Index bounds_scratch(Index rows) { return rows * (kBoundsBlock + 32); }

struct LogitBoundsTable {
  BoundsRow (*prepare)(const float* x, Index K, const LogitBounds& bounds, std::uint8_t* bytes);
  void (*search)(const BoundsTask& task);
};

}  // namespace headwater::kernels
