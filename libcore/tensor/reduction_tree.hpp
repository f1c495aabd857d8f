// How a gradient over tokens is summed (libcore/README.md, decision 5): S = 8 shards of whole consecutive
// sequences; within a shard an ascending chain, in chunks of 512 tokens where it is longer; chunks and shards
// reduced in fixed binary trees. The plan is the tree in postfix order, so a kernel reduces with a small
// stack of tiles.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "tensor/matrix.hpp"

namespace headwater {

inline constexpr Index kShards = 8;
inline constexpr Index kChunkTokens = 512;

struct ReductionLeaf {
  Index begin, end;  // token rows of one ascending chain, never empty
  int merges;        // after this leaf: so often replace the two topmost partial sums by (lower + upper)
};

// Which part of a step's global batch a packed batch holds: part `index` of `count` equal ones, a power of
// two up to kShards. A part is a range of whole shards, so what it sums is a subtree of the global batch's
// sum.
struct BatchPart {
  Index index = 0, count = 1;
  Index sequences = 0;  // of the global batch

  static BatchPart whole(Index sequences) { return {0, 1, sequences}; }
  Index begin() const { return index * sequences / count; }  // its first sequence, and the one after its last
  Index end() const { return (index + 1) * sequences / count; }
  Index shards() const { return kShards / count; }
  // First sequence of the part's shard number `shard`, counted within the part; also for shard = shards().
  Index shard_begin(Index shard) const { return (index * shards() + shard) * sequences / kShards - begin(); }
};

// Leaves cover rows [0, rows) in order. An absent half of the tree (fewer sequences than shards) is skipped,
// not added as 0.
struct ReductionTree {
  std::vector<ReductionLeaf> leaves;
  Index rows = 0;
  int depth = 0;  // most partial sums alive at once
  BatchPart part;

  // `offsets`: first token of each sequence of the part, then the number of tokens. Reuses the vector's
  // memory. Where `copies` sequences in a row are one of the batch, they are not parted by shards.
  void assign(std::span<const Index> offsets, const BatchPart& part, Index copies = 1);
  void assign(std::span<const Index> offsets) {
    assign(offsets, BatchPart::whole(offsets.empty() ? 0 : static_cast<Index>(offsets.size()) - 1));
  }
};

// A sum of doubles over the rows of a plan: the chain of each leaf is given in order.
class TreeSum {
 public:
  void add(const ReductionLeaf& leaf, double chain) {
    sums_[alive_++] = chain;
    for (int merge = 0; merge < leaf.merges; ++merge) {
      --alive_;
      sums_[alive_ - 1] += sums_[alive_];
    }
  }
  double total() const { return alive_ == 0 ? 0 : sums_[0]; }  // after the last leaf

 private:
  std::array<double, 64> sums_ = {};
  int alive_ = 0;
};

namespace kernels {

// Leaves of a tree, for the vector code that sums gradients over tokens.
struct Leaves {
  const ReductionLeaf* first;
  Index count;
};
inline constexpr int kMaxPartialSums = 64;  // of a reduction; depth grows with the logarithm of the tokens

}  // namespace kernels
}  // namespace headwater
