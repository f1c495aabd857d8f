// Int8 logit bounds: where the logits of an output layer lie, from a byte a weight. Only linear_argmax()
// reads them: what it chooses is the same with and without.
#pragma once

#include <cstdint>

#include "tensor/kernels/gemm/gemm.hpp"

namespace headwater::kernels {

// Column c of the weight is scales[c]·(bytes + rests) with whole numbers of at most 127 and their rests,
// whose Euclidean lengths are at most `length` and `rest`. Columns in panels of 16, [O/16][I/4][16][4],
// filled up to whole groups of 64.
struct LogitBounds {
  const std::int8_t* bytes = nullptr;  // null: none
  const Real* scales = nullptr;
  const std::int32_t* starts = nullptr;  // -64 · the sum of a column's bytes
  Real length = 0, rest = 0;
};
// In logit_bounds_size() values at `to`; none where the weights are too large, too small or not finite.
Index logit_bounds_size(Index inputs, Index outputs);
LogitBounds logit_bounds(const PackedWeight& w, Real* to);

}  // namespace headwater::kernels
