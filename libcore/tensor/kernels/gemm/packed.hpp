// Products with packed weights cut into tasks; the cut depends on the shape alone.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/kernels/gemm/gemm.hpp"
#include "tensor/kernels/gemm/gemm_table.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

inline constexpr Index kGroupColumns = 64;  // whole tiles of every ISA

struct PackedBlock {
  Index row, row_end, first, last;  // columns [first, last)
};
struct PackedGrid {
  Index row_blocks, column_blocks, groups;
  PackedBlock block(Index index, Index M, Index N) const {
    const Index part = index % row_blocks, number = index / row_blocks;
    const Index last = (number + 1) * groups / column_blocks * kGroupColumns;
    return {part * M / row_blocks, (part + 1) * M / row_blocks,
            number * groups / column_blocks * kGroupColumns, last < N ? last : N};
  }
};
PackedGrid packed_grid(Index M, Index N, Index K);

// The rows of a product with packed weights, as these read them: in floats, or in bytes made once for all
// tasks.
class PackedInput {
 public:
  // For weights like `w`.
  PackedInput(ConstMatrix x, const PackedWeight& w);

  // c = act(x[row, row_end)·w[:, first..] + bias[first..]), as many columns as c has, on one thread; `first`
  // is a multiple of 16, `bias` null or of all columns.
  void multiply(Index row, Index row_end, const PackedWeight& w, const Real* bias, Index first, Matrix c,
                Activation activation = Activation::none) const;

 private:
  ConstMatrix x_;
  std::optional<SharedScratch> bytes_;  // factors, then rows of bytes
};

}  // namespace headwater::kernels
