// Int8 logit bounds: where the logits of an output layer lie, from a byte a weight. Only linear_argmax()
// reads them: what it chooses is the same with and without.
#pragma once

#include <cstdint>

#include "tensor/kernels/gemm/gemm.hpp"

namespace headwater::kernels {

// The bytes of all columns (Int8Panels), and what their Euclidean lengths do not exceed.
struct LogitBounds {
  const std::int8_t* bytes = nullptr;  // null: none
  const Real* scales = nullptr;
  const std::int32_t* starts = nullptr;
  Real length = 0, rest = 0;
};
// In logit_bounds_size() values at `to`; none where there are no Int8Panels.
Index logit_bounds_size(Index inputs, Index outputs);
LogitBounds logit_bounds(const PackedWeight& w, Real* to);

}  // namespace headwater::kernels
