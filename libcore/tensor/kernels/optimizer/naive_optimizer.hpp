// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include "tensor/kernels/naive.hpp"
#include "tensor/kernels/optimizer/optimizer.hpp"

namespace headwater::naive {

void rmsprop(const kernels::RmspropRule& rule, Index n, double* w, double* v, const double* g);
void rmsprop_decay(double rho, Index n, double* v, Index times);
void moving_average(float min_share, Index n, const double* w, double* average, Index begin, Index end);
void adam(const kernels::AdamRule& rule, Index n, double* w, double* m, double* v, const double* g);
void sgd(const kernels::SgdRule& rule, Index n, double* w, double* m, const double* g);

}  // namespace headwater::naive
