// Rows and runs of values cut into tasks.
#pragma once

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/matrix.hpp"

namespace headwater::kernels {

// body(begin, end) for blocks of rows of about 16,384 values that cover [0, rows).
template <class Body>
void for_each_row_block(Index rows, Index cols, const Body& body) {
  const Index block = cols >= 16'384 ? 1 : 16'384 / (cols > 0 ? cols : 1);
  parallel_for((rows + block - 1) / block,
               [&](Index i) { body(i * block, i * block + block < rows ? i * block + block : rows); });
}

template <class M>
bool has_no_gaps(const M& x) {
  return x.stride == x.cols || x.rows <= 1;
}

// body(row, column, count) for pieces that cover [rows, cols]; pieces run on over the rows' ends where no
// matrix has gaps.
template <class Body>
void for_each_piece(Index rows, Index cols, bool is_gapless, const Body& body) {
  if (is_gapless) {
    constexpr Index kPiece = 16'384;
    const Index n = rows * cols;
    parallel_for((n + kPiece - 1) / kPiece,
                 [&](Index piece) { body(Index{0}, piece * kPiece, std::min(kPiece, n - piece * kPiece)); });
  } else {
    for_each_row_block(rows, cols, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) body(row, Index{0}, cols);
    });
  }
}

}  // namespace headwater::kernels
