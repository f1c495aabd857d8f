// What the two ways to the best word share.
#pragma once

#include <span>

#include "tensor/kernels/argmax/argmax.hpp"
#include "tensor/kernels/argmax/argmax_table.hpp"

namespace headwater::kernels {

// The first of the largest values of each row of `logits`, the columns from `first` on, where they are larger
// than what was found before; those of `skip` become -infinity.
void search_logits(MatrixOf<float> logits, Index first, std::span<const std::int32_t> skip, Largest* found);
// The first column that is not in `skip`.
std::int32_t first_choice(Index columns, std::span<const std::int32_t> skip);
// linear_argmax without bounds, and with them.
void argmax_of_all(ConstMatrix x, const PackedWeight& w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best);
void argmax_by_bounds(ConstMatrix x, const ArgmaxWeight& w, const Real* bias,
                      std::span<const std::int32_t> skip, std::span<std::int32_t> best);

}  // namespace headwater::kernels
