// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include <span>

#include "tensor/kernels/fourier/fourier.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater::naive {

void fourier_mix(ConstMatrix x, std::span<const Index> offsets, Matrix y, bool accumulate);

}  // namespace headwater::naive
