// The naive form of elementwise kernels, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

namespace naive {

using kernels::array_of;

void fill(Matrix y, double value) { array_of(y) = value; }
void add(ConstMatrix a, ConstMatrix b, Matrix y) { array_of(y) = array_of(a) + array_of(b); }
void multiply(ConstMatrix a, ConstMatrix b, Matrix y) { array_of(y) = array_of(a) * array_of(b); }
void accumulate(ConstMatrix x, Matrix y) { array_of(y) += array_of(x); }
void scale(ConstMatrix x, double factor, Matrix y, bool accumulate) {
  if (accumulate) {
    array_of(y) += factor * array_of(x);
  } else {
    array_of(y) = factor * array_of(x);
  }
}
void copy(ConstMatrix x, Matrix y) { array_of(y) = array_of(x); }
void transpose(ConstMatrix x, Matrix y) { array_of(y) = array_of(x).transpose(); }

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void fill(Matrix y, Real value) { naive::fill(y, value); }
void add(ConstMatrix a, ConstMatrix b, Matrix y) { naive::add(a, b, y); }
void multiply(ConstMatrix a, ConstMatrix b, Matrix y) { naive::multiply(a, b, y); }
void accumulate(ConstMatrix x, Matrix y) { naive::accumulate(x, y); }
void scale(ConstMatrix x, Real factor, Matrix y, bool accumulate) { naive::scale(x, factor, y, accumulate); }
void copy(ConstMatrix x, Matrix y) { naive::copy(x, y); }
void transpose(ConstMatrix x, Matrix y) { naive::transpose(x, y); }

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
