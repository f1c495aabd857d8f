// Products with packed weights cut into tasks; the cut depends on the shape alone.
#pragma once

#include "tensor/kernels/gemm/gemm_table.hpp"

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

}  // namespace headwater::kernels
