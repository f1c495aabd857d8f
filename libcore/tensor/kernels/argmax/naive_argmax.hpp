// The slow, obviously right version: plain loops, std:: functions, no tiles and no fixed order of sums.
// Oracle of the float kernels and the kernels of the double build.
#pragma once

#include <algorithm>

#include "tensor/kernels/argmax/argmax.hpp"

namespace headwater::naive {

template <class T>
void argmax(MatrixOf<const T> x, std::span<const std::int32_t> skip, std::span<std::int32_t> best) {
  for (Index r = 0; r < x.rows; ++r) {
    std::int32_t at = -1;
    for (std::int32_t c = 0; c < x.cols; ++c) {
      const bool is_skipped = std::find(skip.begin(), skip.end(), c) != skip.end();
      if (!is_skipped && (at < 0 || x.row(r)[c] > x.row(r)[at])) at = c;
    }
    best[r] = at;
  }
}

}  // namespace headwater::naive
