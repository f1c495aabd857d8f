// The mean of several copies of the weights.
#pragma once

#include <span>

#include "tensor/matrix.hpp"

namespace headwater {

// mean[j] of values[.][j]: added in the order of `values` in double precision, divided, then rounded once.
// All are of one length, and there is one at least.
void mean_of(std::span<const std::span<const Real>> values, std::span<Real> mean);

}  // namespace headwater
