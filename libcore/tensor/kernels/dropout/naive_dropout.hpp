// The slow, obviously right version: plain loops, std:: functions, no tiles and no fixed order of sums.
// Oracle of the float kernels and the kernels of the double build.
#pragma once

#include "tensor/kernels/dropout/dropout.hpp"
#include "tensor/kernels/elementwise/naive_elementwise.hpp"

namespace headwater::naive {

// A random word below this bound drops its element.
inline std::uint64_t dropout_bound(Real rate) {
  return static_cast<std::uint64_t>(static_cast<double>(rate) * 0x1p32);
}

template <class T>
void dropout(MatrixOf<const T> x, Real rate, const RandomStream& stream, std::uint64_t first_element,
             MatrixOf<T> y, bool accumulate) {
  each(y, [&](Index r, Index c) {
    const bool is_kept = random_word(stream, first_element + static_cast<std::uint64_t>(r * y.cols + c)) >=
                         dropout_bound(rate);
    return (accumulate ? y.row(r)[c] : T(0)) + (is_kept ? x.row(r)[c] / (T(1) - T(rate)) : T(0));
  });
}

}  // namespace headwater::naive
