// Dropout from counted random words.
#pragma once

#include <cstdint>

#include "support/random.hpp"
#include "tensor/matrix.hpp"

namespace headwater::kernels {

// y (+)= x / (1 - rate) where word(first_element + t·cols + c) >= rate·2^32, else 0. The backward is the same
// call on dy. May alias.
void dropout(ConstMatrix x, Real rate, const RandomStream& stream, std::uint64_t first_element, Matrix y,
             bool accumulate);

}  // namespace headwater::kernels
