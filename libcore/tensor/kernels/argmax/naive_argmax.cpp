// The double build's kernels.
#ifdef HEADWATER_DOUBLE

#include <vector>

#include "tensor/kernels/argmax/naive_argmax.hpp"

namespace headwater::kernels {

void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best) {
  naive::argmax<Real>(x, skip, best);
}
Index logit_bounds_size(Index, Index) { return 0; }
LogitBounds logit_bounds(const PackedWeight&, Real*) { return {}; }
void linear_argmax(ConstMatrix x, const ArgmaxWeight& w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best) {
  std::vector<Real> logits(static_cast<std::size_t>(x.rows * w.packed.outputs));
  const Matrix y(logits.data(), x.rows, w.packed.outputs);
  linear_packed(x, w.packed, bias, Activation::none, y);
  naive::argmax<Real>(y, skip, best);
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
