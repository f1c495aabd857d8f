// Products cut into tasks and run in parallel. Each cut gives the same bits, so it may follow the number of
// threads.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>

#include "tensor/kernels/gemm/gemm_table.hpp"
#include "tensor/kernels/reduction_blocks.hpp"

namespace headwater::kernels {

struct GemmGrid {
  Index row_blocks = 0, column_blocks = 0;
  Index count() const { return row_blocks * column_blocks; }
};
// At least so many blocks of rows and columns, and `tasks` of them at most; among these the cheapest for the
// threads there are: a block costs row_cost over its height and column_cost over its width, in units of its
// multiplications with 32 lanes.
struct GridRule {
  Index M, N, row_blocks, column_blocks, tasks;
  double row_cost, column_cost;
};
GemmGrid best_grid(const GridRule& rule);
GemmGrid gemm_grid(Index M, Index N, Index K);
// Tasks of a product of few rows, which is bound by the values [rows, cols] of a weight that it reads or
// writes; at most `most`.
inline Index gemv_tasks(Index rows, Index cols, Index most) {
  constexpr Index kTaskValues = 128 * 1024, kMaxTasks = 16;  // a task takes some five microseconds
  const Index tasks = rows * cols / kTaskValues, limit = most < kMaxTasks ? most : kMaxTasks;
  return tasks < 1 ? 1 : tasks < limit ? tasks : limit;
}

// Whether products that read `rows` tokens are joined in one loop: those whose matrices, of so many columns
// in all, would push each other's out of the caches are faster one after the other.
inline bool are_joined(Index rows, Index columns) { return rows * columns <= 4'000'000; }

// The tasks of several products of the same tokens in one loop, a quarter of each product after the other: a
// thread that takes a stretch of the loop works on the same tokens in all of them, as it did in the loop
// before, and finds them in its cache.
class JoinedTasks {
 public:
  void add(Index tasks) { tasks_[products_++] = tasks; }
  Index count() const { return std::accumulate(tasks_.begin(), tasks_.end(), Index{0}); }
  struct Place {
    std::size_t product;
    Index task;
  };
  Place at(Index index) const {
    for (Index quarter = 0;; ++quarter) {
      for (std::size_t i = 0; i < products_; ++i) {
        const Index first = quarter * tasks_[i] / 4, last = (quarter + 1) * tasks_[i] / 4;
        if (index < last - first) return {i, first + index};
        index -= last - first;
      }
    }
  }

 private:
  std::array<Index, kMaxProjections + 1> tasks_{};
  std::size_t products_ = 0;
};

// All tasks take `whole` without scratch.
void multiply_in_blocks(const GemmTask& whole);
void multiply_block(const GemmTask& whole, const GemmGrid& grid, Index index);

// A weight gradient cut into tasks: blocks of the result, or, where these would be few and small, whole
// subtrees of the reduction, whose sums are put together when all of them are there.
class WeightTasks {
 public:
  WeightTasks() = default;
  explicit WeightTasks(const WeightTask& whole);
  // Sums over all the tokens of a plan; cut by tokens into about `wanted` tasks where the result is small.
  WeightTasks(const WeightTask& whole, const ReductionTree& plan, Index wanted);

  Index partial_floats() const { return parts_.count * values(); }  // which the sums need; 0 for blocks
  void keep_partial_sums(float* sums) { sums_ = sums; }             // aligned to 64 bytes
  Index count() const { return std::max<Index>(1, parts_.count) * grid_.count(); }
  void run(Index task) const;
  // After all of these:
  Index reduction_count() const;
  void reduce(Index task) const;

 private:
  Index values() const { return whole_.c.rows * whole_.c.cols + whole_.c.cols; }
  WeightTask whole_;
  GemmGrid grid_;
  ReductionParts parts_;
  float* sums_ = nullptr;
};
void weight_in_blocks(const WeightTask& whole);

}  // namespace headwater::kernels
