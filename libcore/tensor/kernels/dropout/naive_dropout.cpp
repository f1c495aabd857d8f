// The double build's kernels.
#ifdef HEADWATER_DOUBLE

#include "tensor/kernels/dropout/naive_dropout.hpp"

namespace headwater::kernels {

void dropout(ConstMatrix x, Real rate, const RandomStream& stream, std::uint64_t first_element, Matrix y,
             bool accumulate) {
  naive::dropout<Real>(x, rate, stream, first_element, y, accumulate);
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
