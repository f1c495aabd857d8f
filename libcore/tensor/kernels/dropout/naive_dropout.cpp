// The naive form of dropout, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

namespace headwater {

namespace naive {

double dropout_factor(Real rate, const RandomStream& stream, std::uint64_t element) {
  const auto bound = static_cast<std::uint64_t>(static_cast<double>(rate) * 0x1p32);
  return random_word(stream, element) >= bound ? 1 / (1 - static_cast<double>(rate)) : 0;
}

void dropout(ConstMatrix x, Real rate, const RandomStream& stream, std::uint64_t first_element, Matrix y,
             bool accumulate) {
  for (Index r = 0; r < y.rows; ++r) {
    for (Index c = 0; c < y.cols; ++c) {
      const std::uint64_t element = first_element + static_cast<std::uint64_t>(r * y.cols + c);
      const double value = x.row(r)[c] * dropout_factor(rate, stream, element);
      y.row(r)[c] = (accumulate ? y.row(r)[c] : 0) + value;
    }
  }
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void dropout(ConstMatrix x, Real rate, const RandomStream& stream, std::uint64_t first_element, Matrix y,
             bool accumulate) {
  naive::dropout(x, rate, stream, first_element, y, accumulate);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
