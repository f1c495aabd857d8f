// The double build's kernels.
#ifdef HEADWATER_DOUBLE

#include "tensor/kernels/fourier/naive_fourier.hpp"

namespace headwater::kernels {

void fourier_mix(ConstMatrix x, std::span<const Index> offsets, Matrix y, bool accumulate) {
  naive::fourier_mix<Real>(x, offsets, y, accumulate);
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
