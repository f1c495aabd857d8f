// Layer norm (Ba et al. 2016). T tokens of the packed batch, D model width.
#pragma once

#include "tensor/matrix.hpp"
#include "tensor/reduction_tree.hpp"

namespace headwater::kernels {

// y = gamma * (x - mean)/sqrt(variance + epsilon) + beta with x := x + residual where residual is given (then
// `sum`, where given, receives x + residual; it may alias x or residual). moments [T, 2]: mean and
// 1/sqrt(variance + epsilon), for backward. Ba et al. 2016.
void layer_norm(ConstMatrix x, ConstMatrix residual, const Real* gamma, const Real* beta, Real epsilon,
                Matrix sum, Matrix y, Matrix moments);
// dx (+)= ...; dgamma, dbeta (+)= reduced by the plan. x is the normalised input (the sum, where there was a
// residual).
void layer_norm_backward(ConstMatrix x, ConstMatrix moments, const Real* gamma, ConstMatrix dy,
                         const ReductionTree& plan, Matrix dx, bool accumulate_dx, Real* dgamma, Real* dbeta,
                         bool accumulate_parameters);

}  // namespace headwater::kernels
