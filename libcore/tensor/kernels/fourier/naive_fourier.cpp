// The naive form of Fourier mixing, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include <cmath>
#include <numbers>

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

namespace naive {

namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// e^(-2πi jk/n) = cosine[j, k] - i·sine[j, k].
struct Transform {
  Dense cosine, sine;
};
Transform transform_of(Index n) {
  const auto angle = [n](Index j, Index k) {
    return 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
  };
  return {Dense::NullaryExpr(n, n, [&](Index j, Index k) { return std::cos(angle(j, k)); }),
          Dense::NullaryExpr(n, n, [&](Index j, Index k) { return std::sin(angle(j, k)); })};
}

}  // namespace

// The real part of (C - iS)·x·(C' - iS').
void fourier_mix(ConstMatrix x, std::span<const Index> offsets, Matrix y, bool accumulate) {
  if (!accumulate) kernels::array_of(y) = 0;
  const Transform over_width = transform_of(x.cols);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const Transform over_tokens = transform_of(offsets[s + 1] - offsets[s]);
    const auto in = kernels::matrix_of(x.rows_between(offsets[s], offsets[s + 1]));
    kernels::matrix_of(y.rows_between(offsets[s], offsets[s + 1])) +=
        over_tokens.cosine * in * over_width.cosine - over_tokens.sine * in * over_width.sine;
  }
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void fourier_mix(ConstMatrix x, std::span<const Index> offsets, Matrix y, bool accumulate) {
  naive::fourier_mix(x, offsets, y, accumulate);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
