// Runs of consecutive values on one thread, once for each vector width.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

struct ElementwiseTable {
  void (*fill)(Index n, float value, float* y);
  void (*add)(Index n, const float* a, const float* b, float* y);
  void (*multiply)(Index n, const float* a, const float* b, float* y);
  void (*scale)(Index n, const float* x, float factor, float* y, bool accumulate);
  void (*copy)(Index n, const float* x, float* y);
  // to[step·c + r] = x[stride·r + c] for 16 rows r
  void (*transpose)(const float* x, Index stride, Index cols, float* to, Index step);
};

}  // namespace headwater::kernels
