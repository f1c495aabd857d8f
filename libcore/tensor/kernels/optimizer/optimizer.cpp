// Optimizer steps in blocks of fixed size, and sums over all of a parameter buffer.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/optimizer/optimizer.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/kernel_table.hpp"

namespace headwater::kernels {

namespace {

constexpr Index kBlock = 16'384;  // values of a task

// body(begin, count) for blocks that cover [0, n).
template <class Body>
void for_each_block(Index n, const Body& body) {
  parallel_for((n + kBlock - 1) / kBlock,
               [&](Index block) { body(block * kBlock, std::min(kBlock, n - block * kBlock)); });
}

// Neighbours are added, then neighbours of these, and so on; an odd one out waits for the next round.
template <std::size_t N>
double reduce(std::array<double, N>& values, std::size_t count) {
  if (count == 0) return 0;
  for (std::size_t step = 1; step < count; step *= 2) {
    for (std::size_t i = 0; i + step < count; i += 2 * step) values[i] += values[i + step];
  }
  return values[0];
}

}  // namespace

void rmsprop(const RmspropRule& rule, Index n, Real* w, Real* v, const Real* g) {
  const OptimizerTable& table = *kernel_table().optimizer;
  for_each_block(n, [&](Index i, Index count) { table.rmsprop(rule, count, w + i, v + i, g + i); });
}

void rmsprop_decay(float rho, Index n, Real* v, Index times) {
  const OptimizerTable& table = *kernel_table().optimizer;
  for_each_block(n, [&](Index i, Index count) { table.rmsprop_decay(rho, count, v + i, times); });
}

void moving_average(float min_share, Index n, const Real* w, Real* average, Index begin, Index end) {
  const OptimizerTable& table = *kernel_table().optimizer;
  for_each_block(n, [&](Index i, Index count) {
    table.moving_average(min_share, count, w + i, average + i, begin, end);
  });
}

void adam(const AdamRule& rule, Index n, Real* w, Real* m, Real* v, const Real* g) {
  const OptimizerTable& table = *kernel_table().optimizer;
  for_each_block(n, [&](Index i, Index count) { table.adam(rule, count, w + i, m + i, v + i, g + i); });
}

void sgd(const SgdRule& rule, Index n, Real* w, Real* m, const Real* g) {
  const OptimizerTable& table = *kernel_table().optimizer;
  for_each_block(n, [&](Index i, Index count) { table.sgd(rule, count, w + i, m ? m + i : nullptr, g + i); });
}

double sum_of_squares(Index n, const Real* g) {
  // Blocks of 4,096 make groups of 64, groups the whole: one binary tree over the blocks.
  constexpr Index kSumBlock = 4'096, kGroup = 64 * kSumBlock;
  constexpr std::size_t kMaxGroups = 16'384;
  const Index groups = (n + kGroup - 1) / kGroup;
  if (groups > static_cast<Index>(kMaxGroups)) throw Error("sum_of_squares: more than 2^32 values");
  const OptimizerTable& table = *kernel_table().optimizer;
  std::array<double, kMaxGroups> of_groups;
  parallel_for(groups, [&](Index group) {
    std::array<double, 64> of_blocks;
    std::size_t blocks = 0;
    for (Index i = group * kGroup; i < std::min(n, (group + 1) * kGroup); i += kSumBlock) {
      of_blocks[blocks++] = table.sum_of_squares(std::min(kSumBlock, n - i), g + i);
    }
    of_groups[static_cast<std::size_t>(group)] = reduce(of_blocks, blocks);
  });
  return reduce(of_groups, static_cast<std::size_t>(groups));
}

Index find_not_finite(Index n, const Real* x) {
  const OptimizerTable& table = *kernel_table().optimizer;
  std::atomic<Index> first{n};
  for_each_block(n, [&](Index begin, Index count) {
    if (begin > first.load(std::memory_order_relaxed)) return;
    const Index found = table.find_not_finite(count, x + begin);
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
