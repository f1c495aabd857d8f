// One row for each sequence, and some rows of all.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/matrix.hpp"

namespace headwater::kernels {

// One row of y for each sequence, 0 for a sequence without tokens. max: the largest number of each column,
// the first of equals. mean: an ascending chain of sums, then divided. first, last: that row. winners
// [sequences·D], null for inference: the row of x that a maximum came from, or -1.
enum class Pooling { max, mean, first, last };
void pool(Pooling pooling, ConstMatrix x, std::span<const Index> offsets, Matrix y, std::int32_t* winners);
// dx (+)= ...: every row of x gets its share, which is 0 for most.
void pool_backward(Pooling pooling, ConstMatrix dy, std::span<const Index> offsets,
                   const std::int32_t* winners, Matrix dx, bool accumulate);
// y[i] = x[rows[i]]; rows do not descend.
void take_rows(ConstMatrix x, std::span<const std::int32_t> rows, Matrix y);
// dx[rows[i]] (+)= dy[i], those of one row in ascending order; without `accumulate` the other rows become 0.
void take_rows_backward(ConstMatrix dy, std::span<const std::int32_t> rows, Matrix dx, bool accumulate);

}  // namespace headwater::kernels
