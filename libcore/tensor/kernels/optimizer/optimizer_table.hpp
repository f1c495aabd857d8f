// Optimizer steps over consecutive values on one thread, once for each vector width.
#pragma once

#include "tensor/kernels/optimizer/optimizer.hpp"

namespace headwater::kernels {

struct OptimizerTable {
  void (*rmsprop)(const RmspropRule& rule, Index n, float* w, float* v, const float* g);
  void (*rmsprop_decay)(float rho, Index n, float* v, Index times);
  void (*moving_average)(float min_share, Index n, const float* w, float* average, Index begin, Index end);
  void (*adam)(const AdamRule& rule, Index n, float* w, float* m, float* v, const float* g);
  void (*sgd)(const SgdRule& rule, Index n, float* w, float* m, const float* g);
};

}  // namespace headwater::kernels
