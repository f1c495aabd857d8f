// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "tensor/kernels/naive.hpp"
#include "tensor/kernels/pooling/pooling.hpp"

namespace headwater::naive {

void pool(kernels::Pooling pooling, ConstMatrix x, std::span<const Index> offsets, Matrix y,
          std::int32_t* winners);
void pool_backward(kernels::Pooling pooling, ConstMatrix dy, std::span<const Index> offsets,
                   const std::int32_t* winners, Matrix dx, bool accumulate);
void take_rows(ConstMatrix x, std::span<const std::int32_t> rows, Matrix y);
void take_rows_backward(ConstMatrix dy, std::span<const std::int32_t> rows, Matrix dx, bool accumulate);

}  // namespace headwater::naive
