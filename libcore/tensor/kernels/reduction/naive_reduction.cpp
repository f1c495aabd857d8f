// The naive form of reductions, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

namespace naive {

double sum_of_squares(Index n, const double* x) { return kernels::array_of(x, n).square().sum(); }

Index find_not_finite(Index n, const double* x) {
  const double* found = std::find_if(x, x + n, [](double value) { return !std::isfinite(value); });
  return found == x + n ? -1 : found - x;
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

double sum_of_squares(Index n, const Real* x) { return naive::sum_of_squares(n, x); }
Index find_not_finite(Index n, const Real* x) { return naive::find_not_finite(n, x); }

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
