// The naive form of the search for the largest value, and the kernels of the double build.
#include "tensor/kernels/argmax/naive_argmax.hpp"

#include <algorithm>
#include <vector>

namespace headwater {

namespace naive {

void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best) {
  for (Index r = 0; r < x.rows; ++r) {
    std::int32_t at = -1;
    for (std::int32_t c = 0; c < x.cols; ++c) {
      const bool is_skipped = std::find(skip.begin(), skip.end(), c) != skip.end();
      if (!is_skipped && (at < 0 || x.row(r)[c] > x.row(r)[at])) at = c;
    }
    best[static_cast<std::size_t>(r)] = at;
  }
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best) {
  naive::argmax(x, skip, best);
}
Index logit_bounds_size(Index, Index) { return 0; }
LogitBounds logit_bounds(const PackedWeight&, Real*) { return {}; }
void linear_argmax(ConstMatrix x, const ArgmaxWeight& w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best) {
  std::vector<Real> logits(static_cast<std::size_t>(x.rows * w.packed.outputs));
  const Matrix y(logits.data(), x.rows, w.packed.outputs);
  linear_packed(x, w.packed, bias, Activation::none, y);
  naive::argmax(y, skip, best);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
