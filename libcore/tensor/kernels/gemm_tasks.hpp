// Products cut into tasks and run in parallel; the cut depends on the shape alone.
#pragma once

#include "tensor/kernels/gemm_table.hpp"

namespace headwater::kernels {

template <class T>
MatrixOf<T> columns_between(MatrixOf<T> m, Index begin, Index end) {
  return {m.data + begin, m.rows, end - begin, m.stride};
}

struct GemmGrid {
  Index row_blocks = 0, column_blocks = 0;
};
GemmGrid gemm_grid(Index M, Index N, Index K);

// `whole` without scratch.
void multiply_in_blocks(const GemmTask& whole);
void weight_in_blocks(const WeightTask& whole);

}  // namespace headwater::kernels
