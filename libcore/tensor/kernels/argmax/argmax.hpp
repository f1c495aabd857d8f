// The largest of a row, and the largest logits of an output layer.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/kernels/argmax/logit_bounds.hpp"
#include "tensor/kernels/gemm/gemm.hpp"
#include "tensor/matrix.hpp"

namespace headwater::kernels {

// Index of the largest element of each row (the first of equals); `skip` (>= 0) is never chosen.
void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best);
// The weight of an output layer of which only the best column is wanted.
struct ArgmaxWeight {
  PackedWeight packed;
  LogitBounds bounds = {};  // of all its columns
};
// best[t] = argmax over the columns of x[t]·w + bias that are not in `skip`, the first of equals (where no
// value is above -infinity, the first column): block by block of columns, the logits are never stored. With
// bounds only the logits that may be the largest are computed.
void linear_argmax(ConstMatrix x, const ArgmaxWeight& w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best);

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
// The two results of linear_top, with its bits, of logits that are in memory. Banned ones become -infinity.
void top_log_sums(ConstMatrix logits, std::span<Real> log_sums);
void top_logits(Matrix logits, const BannedColumns& banned, Index count, std::span<TopLogit> top);

}  // namespace headwater::kernels
