// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include <cstdint>

#include "tensor/kernels/dropout/dropout.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater::naive {

// What an element is multiplied by: 0 where its word is below rate · 2^32, else 1/(1 - rate).
double dropout_factor(Real rate, const RandomStream& stream, std::uint64_t element);
void dropout(ConstMatrix x, Real rate, const RandomStream& stream, std::uint64_t first_element, Matrix y,
             bool accumulate);

}  // namespace headwater::naive
