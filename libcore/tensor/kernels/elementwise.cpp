// Elementwise kernels: blocks of consecutive values, or of rows where there are gaps between them.
#ifndef HEADWATER_DOUBLE

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/row_tables.hpp"

namespace headwater::kernels {

namespace {

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

}  // namespace

void fill(Matrix y, Real value) {
  const ElementwiseTable& table = elementwise_table();
  for_each_piece(y.rows, y.cols, has_no_gaps(y),
                 [&](Index r, Index c, Index n) { table.fill(n, value, y.row(r) + c); });
}

void add(ConstMatrix a, ConstMatrix b, Matrix y) {
  const ElementwiseTable& table = elementwise_table();
  for_each_piece(y.rows, y.cols, has_no_gaps(a) && has_no_gaps(b) && has_no_gaps(y),
                 [&](Index r, Index c, Index n) { table.add(n, a.row(r) + c, b.row(r) + c, y.row(r) + c); });
}

void accumulate(ConstMatrix x, Matrix y) { add(y, x, y); }

void scale(ConstMatrix x, Real factor, Matrix y, bool accumulate) {
  const ElementwiseTable& table = elementwise_table();
  for_each_piece(y.rows, y.cols, has_no_gaps(x) && has_no_gaps(y), [&](Index r, Index c, Index n) {
    table.scale(n, x.row(r) + c, factor, y.row(r) + c, accumulate);
  });
}

void copy(ConstMatrix x, Matrix y) {
  const ElementwiseTable& table = elementwise_table();
  for_each_piece(y.rows, y.cols, has_no_gaps(x) && has_no_gaps(y),
                 [&](Index r, Index c, Index n) { table.copy(n, x.row(r) + c, y.row(r) + c); });
}

void transpose(ConstMatrix x, Matrix y) {
  const ElementwiseTable& table = elementwise_table();
  parallel_for((x.rows + 15) / 16, [&](Index task) {
    const Index begin = 16 * task, end = std::min(x.rows, begin + 16);
    if (end - begin == 16) {
      table.transpose(x.row(begin), x.stride, x.cols, y.data + begin, y.stride);
      return;
    }
    for (Index r = begin; r < end; ++r) {
      for (Index c = 0; c < x.cols; ++c) y.row(c)[r] = x.row(r)[c];
    }
  });
}

DropoutRule dropout_rule(float rate, const RandomStream& stream) {
  return {stream, static_cast<std::uint32_t>(static_cast<double>(rate) * 0x1p32), 1 / (1 - rate)};
}

void dropout(ConstMatrix x, Real rate, const RandomStream& stream, std::uint64_t first_element, Matrix y,
             bool accumulate) {
  const ElementwiseTable& table = elementwise_table();
  const DropoutRule rule = dropout_rule(rate, stream);
  for_each_piece(y.rows, y.cols, has_no_gaps(x) && has_no_gaps(y), [&](Index r, Index c, Index n) {
    table.dropout(n, x.row(r) + c, rule, first_element + static_cast<std::uint64_t>(r * y.cols + c),
                  y.row(r) + c, accumulate);
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
