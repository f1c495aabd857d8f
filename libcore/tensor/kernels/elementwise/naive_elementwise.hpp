// The slow, obviously right version: plain loops, std:: functions, no tiles and no fixed order of sums.
// Oracle of the float kernels and the kernels of the double build.
#pragma once

#include "tensor/kernels/elementwise/elementwise.hpp"

namespace headwater::naive {

// y[r][c] = f(r, c)
template <class T, class F>
void each(MatrixOf<T> y, const F& f) {
  for (Index r = 0; r < y.rows; ++r) {
    for (Index c = 0; c < y.cols; ++c) y.row(r)[c] = f(r, c);
  }
}

}  // namespace headwater::naive
