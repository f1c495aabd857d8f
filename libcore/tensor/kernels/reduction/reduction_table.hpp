// Reductions of consecutive values on one thread, once for each vector width.
#pragma once

#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater::kernels {

struct ReductionTable {
  double (*sum_of_squares)(Index n, const float* x);
  Index (*find_not_finite)(Index n, const float* x);
};

}  // namespace headwater::kernels
