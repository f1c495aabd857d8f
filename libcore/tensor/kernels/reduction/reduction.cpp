// Reductions in blocks of fixed size, and of the blocks in a fixed order.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/reduction/reduction.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/kernel_table.hpp"

namespace headwater::kernels {

namespace {

// Neighbours are added, then neighbours of these, and so on; an odd one out waits for the next round.
double reduce(std::span<double> values) {
  const std::size_t count = values.size();
  if (count == 0) return 0;
  for (std::size_t step = 1; step < count; step *= 2) {
    for (std::size_t i = 0; i + step < count; i += 2 * step) values[i] += values[i + step];
  }
  return values[0];
}

}  // namespace

double sum_of_squares(Index n, const Real* x) {
  // Blocks of 4,096 make groups of 64, groups the whole: one binary tree over the blocks.
  constexpr Index kGroup = 64 * kSumBlock;
  constexpr std::size_t kMaxGroups = 16'384;
  const Index groups = (n + kGroup - 1) / kGroup;
  if (groups > static_cast<Index>(kMaxGroups)) throw Error("sum_of_squares: more than 2^32 values");
  const ReductionTable& table = *kernel_table().reduction;
  std::array<double, kMaxGroups> of_groups;
  parallel_for(groups, [&](Index group) {
    std::array<double, 64> of_blocks;
    std::size_t blocks = 0;
    for (Index i = group * kGroup; i < std::min(n, (group + 1) * kGroup); i += kSumBlock) {
      of_blocks[blocks++] = table.sum_of_squares(std::min(kSumBlock, n - i), x + i);
    }
    of_groups[group] = reduce(std::span(of_blocks).first(blocks));
  });
  return reduce(std::span(of_groups).first(groups));
}

double sum_of_blocks(std::span<double> of_blocks) { return reduce(of_blocks); }

Index find_not_finite(Index n, const Real* x) {
  constexpr Index kBlock = 16'384;  // values of a task
  const ReductionTable& table = *kernel_table().reduction;
  std::atomic<Index> first{n};
  parallel_for((n + kBlock - 1) / kBlock, [&](Index block) {
    const Index begin = block * kBlock;
    if (begin > first.load(std::memory_order_relaxed)) return;
    const Index found = table.find_not_finite(std::min(kBlock, n - begin), x + begin);
    if (found < 0) return;
    Index before = first.load(std::memory_order_relaxed);
    while (begin + found < before &&
           !first.compare_exchange_weak(before, begin + found, std::memory_order_relaxed)) {
    }
  });
  return first < n ? first.load() : -1;
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
