// The largest logits of an output layer, and what makes probabilities of them.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/kernels/gemm/gemm.hpp"
#include "tensor/matrix.hpp"

namespace headwater::kernels {

struct TopLogit {
  Real value;
  std::int32_t column;  // -1: there is none
};

// Columns that are not chosen: `all` in every row, columns[offsets[r]] to columns[offsets[r + 1] - 1] in row
// r (offsets may be empty), and those from `limit` on.
struct BannedColumns {
  std::span<const std::int32_t> all = {};
  std::span<const Index> offsets = {};
  std::span<const std::int32_t> columns = {};
  Index limit = 0;  // 0: all columns may be chosen
};

// The largest logits of x·w + bias, [T, V]: top[t·count] to top[t·count + count - 1] are the largest of row t
// in descending order, the first of equals first; log_sums[t] = ln Σ exp(logit) over all columns, banned ones
// too. Block by block of columns; the logits are never stored. The sum goes by blocks of 256 columns, the
// 16-lane rule in each and over their sums, so that no cut into tasks shows.
void linear_top(ConstMatrix x, const PackedWeight& w, const Real* bias, const BannedColumns& banned,
                Index count, std::span<TopLogit> top, std::span<Real> log_sums);

}  // namespace headwater::kernels
