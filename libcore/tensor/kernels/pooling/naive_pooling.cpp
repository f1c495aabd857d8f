// The double build's kernels.
#ifdef HEADWATER_DOUBLE

#include "tensor/kernels/pooling/naive_pooling.hpp"

namespace headwater::kernels {

void pool(Pooling pooling, ConstMatrix x, std::span<const Index> offsets, Matrix y, std::int32_t* winners) {
  naive::pool<Real>(pooling, x, offsets, y, winners);
}
void take_rows(ConstMatrix x, std::span<const std::int32_t> rows, Matrix y) {
  naive::take_rows<Real>(x, rows, y);
}
void take_rows_backward(ConstMatrix dy, std::span<const std::int32_t> rows, Matrix dx, bool accumulate) {
  naive::take_rows_backward<Real>(dy, rows, dx, accumulate);
}
void pool_backward(Pooling pooling, ConstMatrix dy, std::span<const Index> offsets,
                   const std::int32_t* winners, Matrix dx, bool accumulate) {
  naive::pool_backward<Real>(pooling, dy, offsets, winners, dx, accumulate);
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
