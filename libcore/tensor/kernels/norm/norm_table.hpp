// Norms on one thread, once for each vector width.
#pragma once

#include "tensor/kernels/norm/norm.hpp"
#include "tensor/matrix.hpp"
#include "tensor/reduction_tree.hpp"

namespace headwater::kernels {

struct NormOutputs {
  MatrixOf<float> sum, y, moments;  // sum and moments may be empty
};
struct NormBackward {
  MatrixOf<const float> x, moments;
  NormRuleOf<float> rule;
  MatrixOf<const float> dy;
  MatrixOf<float> dx;
  bool accumulate;  // to dx
};
inline constexpr Index kNormColumns = 32;  // a task of backward_parameters
struct NormTable {
  void (*forward)(const NormRuleOf<float>& rule, MatrixOf<const float> x, MatrixOf<const float> residual,
                  const NormOutputs& to);
  void (*backward_input)(const NormBackward& of);
  // Both gradients of the tokens of some leaves in one pass; sums: those of dgamma, then of dbeta, each
  // padded_width(D) values. stack: as many values for each partial sum.
  void (*backward)(const NormBackward& of, const Leaves& leaves, int last_merges, float* stack, float* sums);
  void (*backward_parameters)(MatrixOf<const float> x, MatrixOf<const float> moments,
                              MatrixOf<const float> dy, const Leaves& leaves, Index first_column,
                              const NormGradientsOf<float>& to);
};

}  // namespace headwater::kernels
