// A fold plan cut into whole subtrees of limited size, so that a part of it can be summed on its own.
#pragma once

#include <array>
#include <string>

#include "support/error.hpp"
#include "tensor/fold.hpp"
#include "tensor/kernels/gemm/gemm_table.hpp"
#include "tensor/kernels/leaves.hpp"

namespace headwater::kernels {

// Leaves [first, last] of a plan that form one subtree; `inner` of the last leaf's merges belong to it,
// `outer` follow.
struct FoldBlock {
  Index first, last;
  int inner, outer;
  Index begin, end;  // tokens
  Index rows() const { return end - begin; }
};

// The largest subtree that begins at this leaf and has at most `most_rows` tokens, or the leaf alone.
inline FoldBlock fold_block_at(const FoldPlan& plan, Index first, Index most_rows) {
  const auto leaf = [&](Index i) -> const FoldLeaf& { return plan.leaves[static_cast<std::size_t>(i)]; };
  const Index begin = leaf(first).begin;
  FoldBlock block{first, first, 0, leaf(first).merges, begin, leaf(first).end};
  if (leaf(first).merges > 0) return block;
  int alive = 1;  // partial sums of the leaves so far
  for (Index i = first + 1; i < static_cast<Index>(plan.leaves.size()); ++i) {
    if (leaf(i).end - begin > most_rows) break;
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
void for_each_fold_block(const FoldPlan& plan, Index most_rows, const F& f) {
  for (Index leaf = 0; leaf < static_cast<Index>(plan.leaves.size());) {
    const FoldBlock block = fold_block_at(plan, leaf, most_rows);
    f(block);
    leaf = block.last + 1;
  }
}

// A plan cut into subtrees that are summed side by side; merges[i] follow after part i (PartialFold).
struct FoldParts {
  std::array<FoldBlock, kMostParts> block;
  std::array<int, kMostParts> merges;
  Index count = 0;
};

// About `wanted` subtrees, or fewer that are large enough; none where they would be too many.
inline FoldParts fold_parts(const FoldPlan& plan, Index wanted, Index least_rows) {
  FoldParts parts;
  while (wanted > 4 && plan.rows < least_rows * wanted) wanted /= 2;
  if (plan.rows < least_rows * wanted) return {};
  for (Index leaf = 0; leaf < static_cast<Index>(plan.leaves.size());) {
    if (parts.count == kMostParts) return {};
    const FoldBlock block = fold_block_at(plan, leaf, plan.rows / wanted * 5 / 4);
    parts.block[static_cast<std::size_t>(parts.count)] = block;
    parts.merges[static_cast<std::size_t>(parts.count)] = block.outer;
    ++parts.count;
    leaf = block.last + 1;
  }
  return parts;
}

// Throws Error where the vector code has too small a stack for the plan.
inline void check_depth(const FoldPlan& plan) {
  if (plan.depth <= kMostPartialSums) return;
  throw Error("fold plan: " + std::to_string(plan.depth) + " partial sums at once, more than " +
              std::to_string(kMostPartialSums) + " (use smaller batches)");
}

}  // namespace headwater::kernels
