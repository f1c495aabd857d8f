// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "tensor/kernels/embedding/embedding.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater::naive {

void embed(std::span<const std::int32_t> ids, ConstMatrix table, double scale,
           std::span<const std::int32_t> position_of, ConstMatrix positions, Matrix y);
void embed_backward(std::span<const std::int32_t> ids, ConstMatrix dy, double scale, Matrix dtable,
                    bool accumulate);

}  // namespace headwater::naive
