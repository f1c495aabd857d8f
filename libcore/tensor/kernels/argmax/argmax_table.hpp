// The search for the largest value of a row, once for each vector width.
#pragma once

#include <cstdint>

#include "tensor/matrix.hpp"

namespace headwater::kernels {

// The first of the largest values; index -1 where none is above -infinity.
struct Largest {
  float value;
  std::int32_t index;
};

struct ArgmaxTable {
  std::int32_t (*argmax)(Index n, const float* x, const std::int32_t* skip, Index skips);
  Largest (*largest)(Index n, const float* x);
};

}  // namespace headwater::kernels
