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
// At least so many blocks of rows and columns, and `tasks` of them or a half or a quarter of that; among
// these the cheapest: a block costs row_cost over its height and column_cost over its width, in units of its
// multiplications with 32 lanes.
struct GridRule {
  Index M, N, row_blocks, column_blocks, tasks;
  double row_cost, column_cost;
};
GemmGrid best_grid(const GridRule& rule);
GemmGrid gemm_grid(Index M, Index N, Index K);
// Tasks of a product of few rows, which is bound by the values [rows, cols] of a weight that it reads or
// writes; at most `most`.
inline Index thin_tasks(Index rows, Index cols, Index most) {
  constexpr Index kTaskValues = 128 * 1024, kMostTasks = 16;  // a task takes some five microseconds
  const Index tasks = rows * cols / kTaskValues, limit = most < kMostTasks ? most : kMostTasks;
  return tasks < 1 ? 1 : tasks < limit ? tasks : limit;
}

// `whole` without scratch.
void multiply_in_blocks(const GemmTask& whole);
void weight_in_blocks(const WeightTask& whole);

}  // namespace headwater::kernels
