// The naive form of norms, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include <cmath>

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

namespace naive {

using kernels::array_of;
using Row = Eigen::Array<double, 1, Eigen::Dynamic>;

void norm(ConstMatrix x, ConstMatrix residual, const NormRule& rule, Matrix sum, Matrix y, Matrix moments) {
  const Index D = x.cols;
  for (Index t = 0; t < x.rows; ++t) {
    Row row = array_of(x.row(t), D);
    if (residual) row += array_of(residual.row(t), D);
    const double mean = rule.is_centred ? row.mean() : 0,
                 inverse = 1 / std::sqrt((row - mean).square().mean() + rule.epsilon);
    auto normed = array_of(y.row(t), D);
    normed = array_of(rule.gamma, D) * ((row - mean) * inverse);
    if (rule.beta) normed += array_of(rule.beta, D);
    if (sum) array_of(sum.row(t), D) = row;
    if (moments) {
      moments.row(t)[0] = mean;
      moments.row(t)[1] = inverse;
    }
  }
}

// x̂ = (x - mean)·inverse and g = gamma·dy give dx = inverse (g - mean(g) - x̂ mean(g x̂)); Ba et al. 2016.
// Without centring mean(g) is left out.
void norm_backward(ConstMatrix x, ConstMatrix moments, const NormRule& rule, ConstMatrix dy, Matrix dx,
                   bool accumulate_dx, const NormGradients& to) {
  const Index D = x.cols;
  Row gammas = Row::Zero(D), betas = Row::Zero(D);
  for (Index t = 0; t < x.rows; ++t) {
    const double mean = moments.row(t)[0], inverse = moments.row(t)[1];
    const auto cotangent = array_of(dy.row(t), D);
    const Row normed = (array_of(x.row(t), D) - mean) * inverse, g = array_of(rule.gamma, D) * cotangent;
    auto gradient = array_of(dx.row(t), D);
    if (!accumulate_dx) gradient = 0;
    gradient += inverse * (g - (rule.is_centred ? g.mean() : 0) - normed * (g * normed).mean());
    gammas += cotangent * normed;
    betas += cotangent;
  }
  const auto put = [&](const Row& sums, double* gradient) {
    if (gradient) array_of(gradient, D) = to.accumulate ? Row(array_of(gradient, D) + sums) : sums;
  };
  put(gammas, to.dgamma);
  put(betas, to.dbeta);
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void norm(ConstMatrix x, ConstMatrix residual, const NormRule& rule, Matrix sum, Matrix y, Matrix moments) {
  naive::norm(x, residual, rule, sum, y, moments);
}
void norm_backward(ConstMatrix x, ConstMatrix moments, const NormRule& rule, ConstMatrix dy,
                   const ReductionTree&, Matrix dx, bool accumulate_dx, const NormGradients& to) {
  naive::norm_backward(x, moments, rule, dy, dx, accumulate_dx, to);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
