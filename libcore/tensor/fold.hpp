// How a gradient over tokens is summed (libcore/README.md, decision 5): S = 8 shards of whole consecutive
// sequences; within a shard an ascending chain, in chunks of 512 tokens where it is longer; chunks and shards
// folded in fixed binary trees. The plan is the tree in postfix order, so a kernel folds with a small stack
// of tiles.
#pragma once

#include <span>
#include <vector>

#include "tensor/matrix.hpp"

namespace headwater {

inline constexpr Index kShards = 8;
inline constexpr Index kChunkTokens = 512;

struct FoldLeaf {
  Index begin, end;  // token rows of one ascending chain, never empty
  int merges;        // after this leaf: so often replace the two topmost partial sums by (lower + upper)
};

// Leaves cover rows [0, rows) in order. An absent half of the tree (fewer sequences than shards) is skipped,
// not added as 0.
struct FoldPlan {
  std::vector<FoldLeaf> leaves;
  Index rows = 0;
  int depth = 0;  // most partial sums alive at once

  // `offsets`: first token of each sequence, then the number of tokens. Reuses the vector's memory.
  void assign(std::span<const Index> offsets);
};

}  // namespace headwater
