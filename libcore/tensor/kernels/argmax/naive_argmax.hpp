// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "tensor/kernels/argmax/argmax.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater::naive {

void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best);

}  // namespace headwater::naive
