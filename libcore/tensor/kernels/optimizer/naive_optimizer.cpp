// The double build's kernels.
#ifdef HEADWATER_DOUBLE

#include "tensor/kernels/optimizer/naive_optimizer.hpp"

namespace headwater::kernels {

void rmsprop(const RmspropRule& rule, Index n, Real* w, Real* v, const Real* g) {
  naive::rmsprop<Real>(rule, n, w, v, g);
}
void rmsprop_decay(float rho, Index n, Real* v, Index times) { naive::rmsprop_decay<Real>(rho, n, v, times); }
void moving_average(float least_share, Index n, const Real* w, Real* average, Index begin, Index end) {
  naive::moving_average<Real>(least_share, n, w, average, begin, end);
}
void adam(const AdamRule& rule, Index n, Real* w, Real* m, Real* v, const Real* g) {
  naive::adam<Real>(rule, n, w, m, v, g);
}
void sgd(const SgdRule& rule, Index n, Real* w, Real* m, const Real* g) {
  naive::sgd<Real>(rule, n, w, m, g);
}
double sum_of_squares(Index n, const Real* g) { return naive::sum_of_squares<Real>(n, g); }
Index find_not_finite(Index n, const Real* x) { return naive::find_not_finite<Real>(n, x); }

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
