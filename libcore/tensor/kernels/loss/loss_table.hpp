// Softmax and cross-entropy of a row on one thread, once for each vector width.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

struct SoftmaxTable {
  void (*softmax)(Index n, const float* x, float* y);
  void (*backward)(Index n, const float* y, const float* dy, float* dx, bool accumulate);
  float (*log_sum_exp)(Index n, const float* x);
};

// Loss of one row of logits; where wanted, the logits become the gradient of scale·loss.
struct CrossEntropyRow {
  float* logits;
  Index count;
  Index label;
  float smoothing, scale;
  bool wants_gradient;
};
struct CrossEntropyValue {
  double loss;
  bool is_correct;  // the label's logit is the first of the largest
};
// Two rows of logits for one token, from passes under different dropout.
struct RDropRows {
  float* logits[2];
  Index count;
  Index label;
  float smoothing, scale;
  float weight;  // of the mean of both divergences
  bool wants_gradient;
};
struct RDropValue {
  CrossEntropyValue of[2];  // each with half of the weighted divergence
};
struct CrossEntropyTable {
  CrossEntropyValue (*cross_entropy)(const CrossEntropyRow& row);
  RDropValue (*r_drop)(const RDropRows& rows);
};

}  // namespace headwater::kernels
