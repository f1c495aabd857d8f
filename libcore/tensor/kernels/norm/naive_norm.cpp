// The double build's kernels.
#ifdef HEADWATER_DOUBLE

#include "tensor/kernels/norm/naive_norm.hpp"

namespace headwater::kernels {

void layer_norm(ConstMatrix x, ConstMatrix residual, const Real* gamma, const Real* beta, Real epsilon,
                Matrix sum, Matrix y, Matrix moments) {
  naive::layer_norm<Real>(x, residual, gamma, beta, epsilon, sum, y, moments);
}
void layer_norm_backward(ConstMatrix x, ConstMatrix moments, const Real* gamma, ConstMatrix dy,
                         const FoldPlan&, Matrix dx, bool accumulate_dx, Real* dgamma, Real* dbeta,
                         bool accumulate_parameters) {
  naive::layer_norm_backward<Real>(x, moments, gamma, dy, dx, accumulate_dx, dgamma, dbeta,
                                   accumulate_parameters);
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
