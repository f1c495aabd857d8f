// Activation functions over consecutive values on one thread, once for each vector width.
#pragma once

#include "tensor/kernels/activation/activation.hpp"

namespace headwater::kernels {

struct ActivationTable {
  // y = act(x), dpre = dy·act'(...) for n consecutive values; y and pre may be null where the activation does
  // not read them.
  void (*activate)(Activation activation, Index n, const float* x, float* y);
  void (*activation_backward)(Activation activation, Index n, const float* y, const float* pre,
                              const float* dy, float* dpre);
};

}  // namespace headwater::kernels
