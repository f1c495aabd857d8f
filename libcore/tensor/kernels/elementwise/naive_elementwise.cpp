// The double build's kernels.
#ifdef HEADWATER_DOUBLE

#include "tensor/kernels/elementwise/naive_elementwise.hpp"

namespace headwater::kernels {

void fill(Matrix y, Real value) {
  naive::each(y, [&](Index, Index) { return value; });
}
void add(ConstMatrix a, ConstMatrix b, Matrix y) {
  naive::each(y, [&](Index r, Index c) { return a.row(r)[c] + b.row(r)[c]; });
}
void accumulate(ConstMatrix x, Matrix y) {
  naive::each(y, [&](Index r, Index c) { return y.row(r)[c] + x.row(r)[c]; });
}
void scale(ConstMatrix x, Real factor, Matrix y, bool accumulate) {
  naive::each(y,
              [&](Index r, Index c) { return factor * x.row(r)[c] + (accumulate ? y.row(r)[c] : Real(0)); });
}
void copy(ConstMatrix x, Matrix y) {
  naive::each(y, [&](Index r, Index c) { return x.row(r)[c]; });
}
void transpose(ConstMatrix x, Matrix y) {
  naive::each(y, [&](Index r, Index c) { return x.row(c)[r]; });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
