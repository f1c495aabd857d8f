// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "tensor/kernels/loss/loss.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater::naive {

void softmax(ConstMatrix x, Matrix y);
void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx, bool accumulate);
void log_sum_exp(ConstMatrix x, double* y);

struct CrossEntropyGradients {
  Matrix dh, dw;
  double* db = nullptr;
  bool accumulate_weight = false, accumulate_bias = false;
};
kernels::CrossEntropyTotals linear_cross_entropy(ConstMatrix h, ConstMatrix w, bool is_transposed,
                                                 const double* bias, std::span<const std::int32_t> labels,
                                                 double smoothing, double loss_scale,
                                                 const CrossEntropyGradients* gradients,
                                                 std::span<const double> class_weights = {},
                                                 double r_drop = 0);

}  // namespace headwater::naive
