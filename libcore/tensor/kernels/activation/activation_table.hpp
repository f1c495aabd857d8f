// Activation functions over consecutive values on one thread, once for each vector width.
#pragma once

#include "tensor/kernels/activation/activation.hpp"

namespace headwater::kernels {

struct ActivationTable {
  // The same for n consecutive values; slope may be null.
  void (*activate)(Activation activation, Index n, const float* x, float* y, float* slope);
  void (*activation_backward)(Activation activation, Index n, const float* kept, const float* dy,
                              float* dpre);
};

}  // namespace headwater::kernels
