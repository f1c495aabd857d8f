// Products of few rows with weights that were packed beforehand.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/gemm/packed.hpp"

#include <algorithm>

#include "support/parallel.hpp"
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

PackedWeight pack_weight(ConstMatrix w, Real* to) {
  const Index panels = (w.cols + 15) / 16;
  constexpr Index kTaskPanels = 16;
  parallel_for((panels + kTaskPanels - 1) / kTaskPanels, [&](Index task) {
    kernel_table().packed->pack(w, task * kTaskPanels, std::min(panels, (task + 1) * kTaskPanels), to);
  });
  return {to, w.rows, w.cols};
}

PackedWeight quantize_weight(const PackedWeight& w, Real* to) {
  return {.inputs = w.inputs, .outputs = w.outputs, .int8 = int8_panels(w, kInt8ZeroPoint, 0x1p100f, to)};
}

// A task is worth some microseconds: of multiplications, or of weights that come from memory.
PackedGrid packed_grid(Index M, Index N, Index K) {
  constexpr Index kTaskProducts = 500'000, kTaskWeights = 24'000, kMaxTasks = 16, kBlockRows = 112;
  const Index products = M * N * std::max<Index>(K, 1);
  const Index tasks =
      std::clamp<Index>(std::max(products / kTaskProducts, N * K / kTaskWeights), 1, kMaxTasks);
  PackedGrid grid;
  grid.row_blocks = std::clamp<Index>(M / kBlockRows, 1, tasks);
  grid.groups = (N + kGroupColumns - 1) / kGroupColumns;
  grid.column_blocks = std::clamp<Index>(tasks / grid.row_blocks, 1, grid.groups);
  return grid;
}

void linear_packed(ConstMatrix x, std::span<const PackedProduct> products) {
  const Index M = x.rows, K = x.cols;
  const auto whole_groups = [](Index columns) {
    return (columns + kGroupColumns - 1) / kGroupColumns * kGroupColumns;
  };
  Index columns = 0;  // of all products, each in whole groups
  for (const PackedProduct& p : products) columns += whole_groups(p.w.outputs);
  if (M == 0 || columns == 0) return;
  const PackedGrid grid = packed_grid(M, columns, K);
  const PackedInput input(x, products[0].w);
  parallel_for(grid.row_blocks * grid.column_blocks, [&](Index index) {
    const PackedBlock block = grid.block(index, M, columns);
    Index before = 0;
    for (const PackedProduct& p : products) {
      const Index first = std::max(block.first - before, Index(0)),
                  last = std::min(block.last - before, p.w.outputs);
      before += whole_groups(p.w.outputs);
      if (first >= last) continue;
      const Matrix rows = p.y.rows_between(block.row, block.row_end);
      input.multiply(block.row, block.row_end, p.w, p.bias, first, rows.columns_between(first, last),
                     p.activation);
    }
  });
}

void linear_packed(ConstMatrix x, const PackedWeight& w, const Real* bias, Activation activation, Matrix y) {
  const PackedProduct product{w, bias, activation, y};
  linear_packed(x, {&product, 1});
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
