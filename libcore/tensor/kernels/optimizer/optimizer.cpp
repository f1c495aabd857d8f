// Optimizer steps in blocks of fixed size.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/optimizer/optimizer.hpp"

#include <algorithm>

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

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
