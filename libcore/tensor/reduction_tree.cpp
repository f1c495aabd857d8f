#include "tensor/reduction_tree.hpp"

#include <algorithm>

namespace headwater {

namespace {

// Appends the leaves of a binary tree over `count` parts in postfix order; part i appends its own subtree and
// says whether it is there at all. A node with one absent child is its other child. Returns whether the
// subtree is there.
template <class Part>
bool append_tree(std::vector<ReductionLeaf>& leaves, Index begin, Index count, const Part& part) {
  if (count == 1) return part(begin);
  Index half = 1;
  while (half * 2 < count) half *= 2;
  const bool has_lower = append_tree(leaves, begin, half, part);
  const bool has_upper = append_tree(leaves, begin + half, count - half, part);
  if (has_lower && has_upper) ++leaves.back().merges;
  return has_lower || has_upper;
}

}  // namespace

void ReductionTree::assign(std::span<const Index> offsets, const BatchPart& of, Index copies) {
  leaves.clear();
  part = of;
  rows = offsets.empty() ? 0 : offsets.back();
  const auto shard_begin = [&](Index shard) {
    return offsets.empty() ? 0 : offsets[part.shard_begin(shard) * copies];
  };
  append_tree(leaves, 0, part.shards(), [&](Index shard) {
    const Index begin = shard_begin(shard), end = shard_begin(shard + 1);
    if (begin == end) return false;
    const Index chunks = (end - begin + kChunkTokens - 1) / kChunkTokens;
    return append_tree(leaves, 0, chunks, [&](Index chunk) {
      const Index first = begin + chunk * kChunkTokens;
      leaves.push_back({first, std::min(end, first + kChunkTokens), 0});
      return true;
    });
  });
  depth = 0;
  int alive = 0;
  for (const ReductionLeaf& leaf : leaves) {
    depth = std::max(depth, ++alive);
    alive -= leaf.merges;
  }
}

}  // namespace headwater
