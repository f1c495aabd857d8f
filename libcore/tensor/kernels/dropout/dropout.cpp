// Dropout: blocks of consecutive values, or of rows where there are gaps between them.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/dropout/dropout.hpp"

#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

DropoutRule dropout_rule(float rate, const RandomStream& stream) {
  return {stream, static_cast<std::uint32_t>(static_cast<double>(rate) * 0x1p32), 1 / (1 - rate)};
}

void dropout(ConstMatrix x, Real rate, const RandomStream& stream, std::uint64_t first_element, Matrix y,
             bool accumulate) {
  const DropoutTable& table = *kernel_table().dropout;
  const DropoutRule rule = dropout_rule(rate, stream);
  for_each_piece(y.rows, y.cols, has_no_gaps(x) && has_no_gaps(y), [&](Index r, Index c, Index n) {
    table.dropout(n, x.row(r) + c, rule, first_element + static_cast<std::uint64_t>(r * y.cols + c),
                  y.row(r) + c, accumulate);
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
