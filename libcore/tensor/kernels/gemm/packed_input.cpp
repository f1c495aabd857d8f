#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/gemm/packed_input.hpp"

#include "tensor/kernels/gemm/gemm_table.hpp"
#include "tensor/kernels/gemm/int8_table.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

PackedInput::PackedInput(ConstMatrix x, const PackedWeight& w) : x_(x) {
  if (w.int8.bytes == nullptr) return;
  const Index row_bytes = int8_row_bytes(x.cols);
  float* const factors = bytes_.emplace(x.rows * (1 + row_bytes / 4)).data();
  auto* const bytes = reinterpret_cast<std::uint8_t*>(factors + x.rows);
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r)
      factors[r] = kernel_table().int8->quantize(x.row(r), x.cols, bytes + r * row_bytes);
  });
}

void PackedInput::multiply(Index row, Index row_end, const PackedWeight& w, const Real* bias, Index first,
                           Matrix c, Activation activation) const {
  const Real* const bias_of_c = bias != nullptr ? bias + first : nullptr;
  if (!bytes_) {
    kernel_table().packed->multiply({.a = x_.rows_between(row, row_end),
                                     .panels = w.panels + first * w.inputs,
                                     .c = c,
                                     .bias = bias_of_c,
                                     .activation = activation});
    return;
  }
  const float* const factors = bytes_->data();
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(factors + x_.rows);
  Int8Panels weight = w.int8;
  weight.bytes += first * 4 * int8_steps(w.inputs);
  weight.scales += first;
  weight.starts += first;
  kernel_table().int8->multiply({.a = bytes + row * int8_row_bytes(w.inputs),
                                 .factors = factors + row,
                                 .K = w.inputs,
                                 .weight = weight,
                                 .c = c,
                                 .bias = bias_of_c,
                                 .activation = activation});
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
