
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

struct WithSlope {
  f32x16 y, slope;
};
struct Gelu {
  HEADWATER_INLINE WithSlope operator()(f32x16 x) const {
    const f32x16 p = normal_probability(x);
    return {x * p, fma(x, normal_density(x), p)};
  }
};
struct GeluTanh {
  HEADWATER_INLINE WithSlope operator()(f32x16 x) const {
    const f32x16 t = tanh_inside(x), inner = of(kRootTwoOverPi) * fma(of(3 * kCubic) * x, x, of(1));
    return {of(0.5f) * x * (of(1) + t), of(0.5f) * fma(x * (of(1) - t * t), inner, of(1) + t)};
  }
};
struct Silu {
  HEADWATER_INLINE WithSlope operator()(f32x16 x) const {
    const f32x16 s = sigmoid(x);
    return {x * s, s * fma(x, of(1) - s, of(1))};
  }
};
template <class F>
struct ValueOf {
  HEADWATER_INLINE f32x16 operator()(f32x16 x) const { return F()(x).y; }
};

// y[i] and, where it is wanted, slope[i] of x[i].
template <class F>
void map_with_slope(Index n, const float* x, float* y, float* slope) {
  if (!slope) return map(n, x, y, ValueOf<F>());
  Index i = 0;
  for (; i + 16 <= n; i += 16) {
    const WithSlope values = F()(f32x16::load(x + i));
    values.y.store(y + i);
    values.slope.store(slope + i);
  }
  if (i < n) {
    const WithSlope values = F()(f32x16::load_partial(x + i, n - i));
    values.y.store_partial(y + i, n - i);
    values.slope.store_partial(slope + i, n - i);
  }
}

// dpre[i] = dy[i]·slope(kept[i]).
template <class F>
void map_slope(Index n, const float* kept, const float* dy, float* dpre, const F& slope) {
  Index i = 0;
  for (; i + 16 <= n; i += 16) (f32x16::load(dy + i) * slope(f32x16::load(kept + i))).store(dpre + i);
  if (i < n)
    (f32x16::load_partial(dy + i, n - i) * slope(f32x16::load_partial(kept + i, n - i)))
        .store_partial(dpre + i, n - i);
}

}  // namespace

void activate(Activation activation, Index n, const float* x, float* y, float* slope) {
  switch (activation) {
    case Activation::none:
      map(n, x, y, [](f32x16 v) { return v; });
      break;
    case Activation::relu:
      map(n, x, y, [](f32x16 v) { return relu(v); });
      break;
    case Activation::gelu:
      map_with_slope<Gelu>(n, x, y, slope);
      break;
    case Activation::gelu_tanh:
      map_with_slope<GeluTanh>(n, x, y, slope);
      break;
    case Activation::silu:
      map_with_slope<Silu>(n, x, y, slope);
      break;
    case Activation::tanh:
      map(n, x, y, [](f32x16 v) { return tanh(v); });
      break;
    case Activation::sigmoid:
      map(n, x, y, [](f32x16 v) { return sigmoid(v); });
      break;
  }
}

void activation_backward(Activation activation, Index n, const float* kept, const float* dy, float* dpre) {
  switch (activation) {
    case Activation::none:
      map(n, dy, dpre, [](f32x16 v) { return v; });
      break;
    case Activation::relu:
      map_slope(n, kept, dy, dpre,
                [](f32x16 v) { return select(less(f32x16::zero(), v), of(1), f32x16::zero()); });
      break;
    case Activation::gelu:
    case Activation::gelu_tanh:
    case Activation::silu:
      map_slope(n, kept, dy, dpre, [](f32x16 v) { return v; });
      break;
    case Activation::tanh:
      map_slope(n, kept, dy, dpre, [](f32x16 v) { return of(1) - v * v; });
      break;
    case Activation::sigmoid:
      map_slope(n, kept, dy, dpre, [](f32x16 v) { return v * (of(1) - v); });
      break;
  }
}

extern const ActivationTable activation_functions;
const ActivationTable activation_functions{activate, activation_backward};

}  // namespace headwater::kernels::HEADWATER_ISA
