// The naive form of activation functions, and the kernels of the double build.
#include "tensor/kernels/activation/naive_activation.hpp"

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

// The derivative; relu, tanh and sigmoid from y, gelu and silu from x.
Values slope(Activation activation, const Values& y, const Values& x) {
  switch (activation) {
    case Activation::none:
      return Values();
    case Activation::relu:
      return (y > 0).cast<double>();
    case Activation::gelu: {
      const Values density = (-x.square() / 2).exp() / std::sqrt(2 * std::numbers::pi);
      return 0.5 * (1 + error_function(x / std::numbers::sqrt2)) + x * density;
    }
    case Activation::gelu_tanh: {
      const Values t = gelu_tanh_inside(x).tanh();
      return 0.5 * (1 + t) + 0.5 * x * (1 - t.square()) * kRootTwoOverPi * (1 + 3 * 0.044715 * x.square());
    }
    case Activation::silu:
      return logistic(x) * (1 + x * (1 - logistic(x)));
    case Activation::tanh:
      return 1 - y.square();
    case Activation::sigmoid:
      return y * (1 - y);
  }
  return y;
}

}  // namespace

namespace naive {

void activate(Activation activation, ConstMatrix x, Matrix y) {
  kernels::array_of(y) = activated(activation, kernels::array_of(x));
}

void activation_backward(Activation activation, ConstMatrix y, ConstMatrix pre, ConstMatrix dy, Matrix dpre) {
  const auto dy_values = kernels::array_of(dy);
  if (activation == Activation::none) {
    kernels::array_of(dpre) = dy_values;
  } else {
    kernels::array_of(dpre) =
        dy_values * slope(activation, kernels::array_of(y), kernels::array_of(pre)).eval();
  }
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void activate(Activation activation, ConstMatrix x, Matrix y) { naive::activate(activation, x, y); }
void activation_backward(Activation activation, ConstMatrix y, ConstMatrix pre, ConstMatrix dy, Matrix dpre) {
  naive::activation_backward(activation, y, pre, dy, dpre);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
