// Norms of rows: x [T, D] with T tokens of the packed batch and D the model's width.
#pragma once

#include "tensor/matrix.hpp"
#include "tensor/reduction_tree.hpp"

namespace headwater::kernels {

// y = gamma * (x - mean)/sqrt(variance + epsilon) + beta (Ba et al. 2016). Without centring the mean counts
// as 0, here and in the variance: an RMS norm (Zhang and Sennrich 2019).
template <class T>
struct NormRuleOf {
  const T* gamma;
  const T* beta;  // null: none
  T epsilon;
  bool is_centred = true;
};
using NormRule = NormRuleOf<Real>;
template <class T>
struct NormGradientsOf {
  T* dgamma;
  T* dbeta;  // null where the norm has no beta
  bool accumulate;
};
using NormGradients = NormGradientsOf<Real>;

// The norm of x or, where residual is given, of x + residual, which `sum` then receives where it is given; it
// may alias x or residual. moments [T, 2]: mean and 1/sqrt(variance + epsilon), for backward.
void norm(ConstMatrix x, ConstMatrix residual, const NormRule& rule, Matrix sum, Matrix y, Matrix moments);
// dx (+)= ...; dgamma, dbeta (+)= reduced by the plan. x is the normalised input (the sum, where there was a
// residual).
void norm_backward(ConstMatrix x, ConstMatrix moments, const NormRule& rule, ConstMatrix dy,
                   const ReductionTree& plan, Matrix dx, bool accumulate_dx, const NormGradients& to);

}  // namespace headwater::kernels
