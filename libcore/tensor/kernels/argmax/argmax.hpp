// The largest of a row, and the best column of an output layer.
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

}  // namespace headwater::kernels
