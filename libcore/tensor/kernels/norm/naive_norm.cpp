// The naive form of layer norm, and the kernels of the double build.
#include "tensor/kernels/norm/naive_norm.hpp"

#include <cmath>

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

namespace naive {

using kernels::array_of;
using Row = Eigen::Array<double, 1, Eigen::Dynamic>;

void layer_norm(ConstMatrix x, ConstMatrix residual, const double* gamma, const double* beta, double epsilon,
                Matrix sum, Matrix y, Matrix moments) {
  const Index D = x.cols;
  for (Index t = 0; t < x.rows; ++t) {
    Row row = array_of(x.row(t), D);
    if (residual) row += array_of(residual.row(t), D);
    const double mean = row.mean(), inverse = 1 / std::sqrt((row - mean).square().mean() + epsilon);
    array_of(y.row(t), D) = array_of(gamma, D) * ((row - mean) * inverse) + array_of(beta, D);
    if (sum) array_of(sum.row(t), D) = row;
    if (moments) {
      moments.row(t)[0] = mean;
      moments.row(t)[1] = inverse;
    }
  }
}

// x̂ = (x - mean)·inverse and g = gamma·dy give dx = inverse (g - mean(g) - x̂ mean(g x̂)); Ba et al. 2016.
void layer_norm_backward(ConstMatrix x, ConstMatrix moments, const double* gamma, ConstMatrix dy, Matrix dx,
                         bool accumulate_dx, double* dgamma, double* dbeta, bool accumulate_parameters) {
  const Index D = x.cols;
  auto gammas = array_of(dgamma, D), betas = array_of(dbeta, D);
  if (!accumulate_parameters) {
    gammas = 0;
    betas = 0;
  }
  for (Index t = 0; t < x.rows; ++t) {
    const double mean = moments.row(t)[0], inverse = moments.row(t)[1];
    const auto cotangent = array_of(dy.row(t), D);
    const Row normed = (array_of(x.row(t), D) - mean) * inverse, g = array_of(gamma, D) * cotangent;
    auto gradient = array_of(dx.row(t), D);
    if (!accumulate_dx) gradient = 0;
    gradient += inverse * (g - g.mean() - normed * (g * normed).mean());
    gammas += cotangent * normed;
    betas += cotangent;
  }
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void layer_norm(ConstMatrix x, ConstMatrix residual, const Real* gamma, const Real* beta, Real epsilon,
                Matrix sum, Matrix y, Matrix moments) {
  naive::layer_norm(x, residual, gamma, beta, epsilon, sum, y, moments);
}
void layer_norm_backward(ConstMatrix x, ConstMatrix moments, const Real* gamma, ConstMatrix dy,
                         const ReductionTree&, Matrix dx, bool accumulate_dx, Real* dgamma, Real* dbeta,
                         bool accumulate_parameters) {
  naive::layer_norm_backward(x, moments, gamma, dy, dx, accumulate_dx, dgamma, dbeta, accumulate_parameters);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
