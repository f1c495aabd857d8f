
#include "tensor/kernels/activation/simd_activation.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

constexpr float kRootTwoOverPi = 0x1.988454p-1f;  // sqrt(2/π), Hendrycks & Gimpel 2016
constexpr float kCubic = 0.044715f;               // ib.
constexpr float kDensity = 0x1.988454p-2f;        // 1/sqrt(2π)
constexpr float kHalfLogE = 0x1.715476p-1f;       // log2(e)/2

f32x16 of(float x) { return f32x16::broadcast(x); }

// The density of the normal distribution.
f32x16 normal_density(f32x16 x) {
  const f32x16 exponent = of(-kHalfLogE) * x * x;
  return of(kDensity) * select(less(exponent, of(-126)), f32x16::zero(), exp2(exponent));
}
f32x16 tanh_inside(f32x16 x) { return tanh(of(kRootTwoOverPi) * fma(of(kCubic) * x * x, x, x)); }

// y[i] = f(x[i]).
template <class F>
void map(Index n, const float* x, float* y, const F& f) {
  Index i = 0;
  for (; i + 16 <= n; i += 16) f(f32x16::load(x + i)).store(y + i);
  if (i < n) f(f32x16::load_partial(x + i, n - i)).store_partial(y + i, n - i);
}

// dpre[i] = dy[i]·slope(x[i]).
template <class F>
void map_slope(Index n, const float* x, const float* dy, float* dpre, const F& slope) {
  Index i = 0;
  for (; i + 16 <= n; i += 16) (f32x16::load(dy + i) * slope(f32x16::load(x + i))).store(dpre + i);
  if (i < n)
    (f32x16::load_partial(dy + i, n - i) * slope(f32x16::load_partial(x + i, n - i)))
        .store_partial(dpre + i, n - i);
}

}  // namespace

void activate(Activation activation, Index n, const float* x, float* y) {
  switch (activation) {
    case Activation::none:
      map(n, x, y, [](f32x16 v) { return v; });
      break;
    case Activation::relu:
      map(n, x, y, [](f32x16 v) { return relu(v); });
      break;
    case Activation::gelu:
      map(n, x, y, [](f32x16 v) { return v * normal_probability(v); });
      break;
    case Activation::gelu_tanh:
      map(n, x, y, [](f32x16 v) { return of(0.5f) * v * (of(1) + tanh_inside(v)); });
      break;
    case Activation::silu:
      map(n, x, y, [](f32x16 v) { return v * sigmoid(v); });
      break;
    case Activation::tanh:
      map(n, x, y, [](f32x16 v) { return tanh(v); });
      break;
    case Activation::sigmoid:
      map(n, x, y, [](f32x16 v) { return sigmoid(v); });
      break;
  }
}

void activation_backward(Activation activation, Index n, const float* y, const float* pre, const float* dy,
                         float* dpre) {
  switch (activation) {
    case Activation::none:
      map(n, dy, dpre, [](f32x16 v) { return v; });
      break;
    case Activation::relu:
      map_slope(n, y, dy, dpre,
                [](f32x16 v) { return select(less(f32x16::zero(), v), of(1), f32x16::zero()); });
      break;
    case Activation::gelu:
      map_slope(n, pre, dy, dpre, [](f32x16 v) { return fma(v, normal_density(v), normal_probability(v)); });
      break;
    case Activation::gelu_tanh:
      map_slope(n, pre, dy, dpre, [](f32x16 v) {
        const f32x16 t = tanh_inside(v), inner = of(kRootTwoOverPi) * fma(of(3 * kCubic) * v, v, of(1));
        return of(0.5f) * fma(v * (of(1) - t * t), inner, of(1) + t);
      });
      break;
    case Activation::silu:
      map_slope(n, pre, dy, dpre, [](f32x16 v) {
        const f32x16 s = sigmoid(v);
        return s * fma(v, of(1) - s, of(1));
      });
      break;
    case Activation::tanh:
      map_slope(n, y, dy, dpre, [](f32x16 v) { return of(1) - v * v; });
      break;
    case Activation::sigmoid:
      map_slope(n, y, dy, dpre, [](f32x16 v) { return v * (of(1) - v); });
      break;
  }
}

extern const ActivationTable activation_functions;
const ActivationTable activation_functions{activate, activation_backward};

}  // namespace headwater::kernels::HEADWATER_ISA
