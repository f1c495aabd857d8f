// The naive forms: what a kernel computes, as its equations say it, in double and with no order of sums of
// its own. They are the oracles of the float kernels in tests and the kernels of the double build.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::naive {

using Matrix = MatrixOf<double>;
using ConstMatrix = MatrixOf<const double>;

}  // namespace headwater::naive
