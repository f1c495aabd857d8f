// The slow, obviously right version: plain loops, std:: functions, no tiles and no fixed order of sums.
// Oracle of the float kernels and the kernels of the double build.
#pragma once

#include <algorithm>

#include "tensor/kernels/embedding/embedding.hpp"

namespace headwater::naive {

template <class T>
void embed(std::span<const std::int32_t> ids, MatrixOf<const T> table, T scale,
           std::span<const std::int32_t> position_of, MatrixOf<const T> positions, MatrixOf<T> y) {
  for (Index t = 0; t < y.rows; ++t) {
    for (Index c = 0; c < y.cols; ++c) {
      y.row(t)[c] = table.row(ids[t])[c] * scale + (positions ? positions.row(position_of[t])[c] : T(0));
    }
  }
}

template <class T>
void embed_backward(std::span<const std::int32_t> ids, MatrixOf<const T> dy, T scale, MatrixOf<T> dtable,
                    bool accumulate) {
  if (!accumulate) {
    for (std::int32_t id : ids) std::fill_n(dtable.row(id), dtable.cols, T(0));
  }
  for (Index t = 0; t < dy.rows; ++t) {
    for (Index c = 0; c < dy.cols; ++c) dtable.row(ids[t])[c] += scale * dy.row(t)[c];
  }
}

}  // namespace headwater::naive
