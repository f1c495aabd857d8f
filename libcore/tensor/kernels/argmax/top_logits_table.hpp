// Blocks of logits of one row, once for each vector width.
#pragma once

#include <cstdint>

#include "tensor/kernels/argmax/top_logits.hpp"

namespace headwater::kernels {

inline constexpr Index kTopBlock = 256;  // columns

struct TopLogitsTable {
  // The largest of n <= kTopBlock logits, to *most, and Σ exp(logit - *most), to *sum.
  void (*sum)(Index n, const float* x, float* most, float* sum);
  // ln of the sum over blocks: ln Σ sums[b]·exp(most[b]).
  float (*log_of_sums)(Index blocks, const float* most, const float* sums);
  // Puts logits x[0..n) of the columns from `first` on among the `count` that were found before.
  void (*select)(Index n, const float* x, std::int32_t first, Index count, TopLogit* top);
};

}  // namespace headwater::kernels
