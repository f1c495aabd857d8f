// The naive form of activation functions, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include <cmath>
#include <numbers>

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

namespace {

using Values = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using kernels::Activation;

const double kRootTwoOverPi = std::sqrt(2 / std::numbers::pi);

Values error_function(const Values& x) {
  return x.unaryExpr([](double value) { return std::erf(value); });
}
Values logistic(const Values& x) { return 1 / (1 + (-x).exp()); }
Values gelu_tanh_inside(const Values& x) { return kRootTwoOverPi * (x + 0.044715 * x.cube()); }

Values activated(Activation activation, const Values& x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return (x > 0).select(x, 0.0);
    case Activation::gelu:
      return 0.5 * x * (1 + error_function(x / std::numbers::sqrt2));
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + gelu_tanh_inside(x).tanh());
    case Activation::silu:
      return x * logistic(x);
    case Activation::tanh:
      return x.tanh();
    case Activation::sigmoid:
      return logistic(x);
  }
  return x;
}

// The derivative: that of relu, tanh and sigmoid from y, of the others from x.
Values slope_of(Activation activation, const Values& kept) {
  switch (activation) {
    case Activation::none:
      return Values::Ones(kept.rows(), kept.cols());
    case Activation::relu:
      return (kept > 0).cast<double>();
    case Activation::gelu: {
      const Values density = (-kept.square() / 2).exp() / std::sqrt(2 * std::numbers::pi);
      return 0.5 * (1 + error_function(kept / std::numbers::sqrt2)) + kept * density;
    }
    case Activation::gelu_tanh: {
      const Values t = gelu_tanh_inside(kept).tanh();
      return 0.5 * (1 + t) +
             0.5 * kept * (1 - t.square()) * kRootTwoOverPi * (1 + 3 * 0.044715 * kept.square());
    }
    case Activation::silu:
      return logistic(kept) * (1 + kept * (1 - logistic(kept)));
    case Activation::tanh:
      return 1 - kept.square();
    case Activation::sigmoid:
      return kept * (1 - kept);
  }
  return kept;
}

}  // namespace

namespace naive {

void activate(Activation activation, ConstMatrix x, Matrix y, Matrix slope) {
  if (slope) kernels::array_of(slope) = slope_of(activation, kernels::array_of(x));
  kernels::array_of(y) = activated(activation, kernels::array_of(x));
}

void activation_backward(Activation activation, ConstMatrix kept, ConstMatrix dy, Matrix dpre) {
  const Values slope = kernels::keeps_slope(activation) ? kernels::array_of(kept)
                                                        : slope_of(activation, kernels::array_of(kept));
  kernels::array_of(dpre) = kernels::array_of(dy) * slope;
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void activate(Activation activation, ConstMatrix x, Matrix y, Matrix slope) {
  naive::activate(activation, x, y, slope);
}
void activation_backward(Activation activation, ConstMatrix kept, ConstMatrix dy, Matrix dpre) {
  naive::activation_backward(activation, kept, dy, dpre);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
