// A reduction plan cut into whole subtrees of limited size, so that a part of it can be summed on its own.
#pragma once

#include <array>
#include <string>

#include "support/error.hpp"
#include "tensor/kernels/gemm/gemm_table.hpp"
#include "tensor/reduction_tree.hpp"

namespace headwater::kernels {

// Leaves [first, last] of a plan that form one subtree; `inner` of the last leaf's merges belong to it,
// `outer` follow.
struct ReductionBlock {
  Index first, last;
  int inner, outer;
  Index begin, end;  // tokens
  Index rows() const { return end - begin; }
};

// The largest subtree that begins at this leaf and has at most `max_rows` tokens, or the leaf alone.
inline ReductionBlock reduction_block_at(const ReductionTree& plan, Index first, Index max_rows) {
  const auto leaf = [&](Index i) -> const ReductionLeaf& { return plan.leaves[i]; };
  const Index begin = leaf(first).begin;
  ReductionBlock block{first, first, 0, leaf(first).merges, begin, leaf(first).end};
  if (leaf(first).merges > 0) return block;
  int alive = 1;  // partial sums of the leaves so far
  for (Index i = first + 1; i < static_cast<Index>(plan.leaves.size()); ++i) {
    if (leaf(i).end - begin > max_rows) break;
    ++alive;
    const int merges = leaf(i).merges;
    if (merges >= alive - 1) block = {first, i, alive - 1, merges - (alive - 1), begin, leaf(i).end};
    if (merges > alive - 1) break;
    alive -= merges;
  }
  return block;
}

// f(block) for the blocks of the plan in order.
template <class F>
void for_each_reduction_block(const ReductionTree& plan, Index max_rows, const F& f) {
  for (Index leaf = 0; leaf < static_cast<Index>(plan.leaves.size());) {
    const ReductionBlock block = reduction_block_at(plan, leaf, max_rows);
    f(block);
    leaf = block.last + 1;
  }
}

// A plan cut into subtrees that are summed side by side; merges[i] follow after part i (PartialReduction).
struct ReductionParts {
  std::array<ReductionBlock, kMaxParts> block;
  std::array<int, kMaxParts> merges;
  Index count = 0;
};

// About `wanted` subtrees, or fewer that are large enough; none where they would be too many.
inline ReductionParts reduce_parts(const ReductionTree& plan, Index wanted, Index min_rows) {
  ReductionParts parts;
  while (wanted > 4 && plan.rows < min_rows * wanted) wanted /= 2;
  if (plan.rows < min_rows * wanted) return {};
  for (Index leaf = 0; leaf < static_cast<Index>(plan.leaves.size());) {
    if (parts.count == kMaxParts) return {};
    const ReductionBlock block = reduction_block_at(plan, leaf, plan.rows / wanted * 5 / 4);
    parts.block[parts.count] = block;
    parts.merges[parts.count] = block.outer;
    ++parts.count;
    leaf = block.last + 1;
  }
  return parts;
}

// Throws Error where the vector code has too small a stack for the plan.
inline void check_depth(const ReductionTree& plan) {
  if (plan.depth <= kMaxPartialSums) return;
  throw Error("reduce plan: " + std::to_string(plan.depth) + " partial sums at once, more than " +
              std::to_string(kMaxPartialSums) + " (use smaller batches)");
}

}  // namespace headwater::kernels
