// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include "tensor/kernels/naive.hpp"
#include "tensor/kernels/norm/norm.hpp"

namespace headwater::naive {

using NormRule = kernels::NormRuleOf<double>;
using NormGradients = kernels::NormGradientsOf<double>;

void norm(ConstMatrix x, ConstMatrix residual, const NormRule& rule, Matrix sum, Matrix y, Matrix moments);
void norm_backward(ConstMatrix x, ConstMatrix moments, const NormRule& rule, ConstMatrix dy, Matrix dx,
                   bool accumulate_dx, const NormGradients& to);

}  // namespace headwater::naive
