// The tree in which gradients over tokens are summed.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tensor/reduction_tree.hpp"

namespace headwater {
namespace {

// The tree in brackets, leaves as begin-end.
std::string text_of(const ReductionTree& plan) {
  std::vector<std::string> stack;
  int deepest = 0;
  for (const ReductionLeaf& leaf : plan.leaves) {
    stack.push_back(std::to_string(leaf.begin) + "-" + std::to_string(leaf.end));
    deepest = std::max(deepest, static_cast<int>(stack.size()));
    for (int merge = 0; merge < leaf.merges; ++merge) {
      const std::string upper = stack.back();
      stack.pop_back();
      stack.back() = "(" + stack.back() + " " + upper + ")";
    }
  }
  CHECK(deepest == plan.depth);
  CHECK(stack.size() == (plan.leaves.empty() ? 0u : 1u));
  return stack.empty() ? "" : stack.front();
}

std::string plan_of(const std::vector<Index>& lengths) {
  std::vector<Index> offsets{0};
  for (Index length : lengths) offsets.push_back(offsets.back() + length);
  ReductionTree plan;
  plan.assign(offsets);
  CHECK(plan.rows == offsets.back());
  Index at = 0;
  for (const ReductionLeaf& leaf : plan.leaves) {
    CHECK(leaf.begin == at);
    CHECK(leaf.end > leaf.begin);
    CHECK(leaf.end - leaf.begin <= kChunkTokens);
    at = leaf.end;
  }
  CHECK(at == plan.rows);
  return text_of(plan);
}

TEST_CASE("reduce plan: eight shards of whole sequences in a binary tree") {
  CHECK(plan_of({1, 2, 3, 4, 5, 6, 7, 8}) == "(((0-1 1-3) (3-6 6-10)) ((10-15 15-21) (21-28 28-36)))");
  CHECK(plan_of({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}) ==
        "(((0-2 2-4) (4-6 6-8)) ((8-10 10-12) (12-14 14-16)))");
}

TEST_CASE("reduce plan: absent shards are skipped") {
  CHECK(plan_of({}) == "");
  CHECK(plan_of({5}) == "0-5");
  CHECK(plan_of({5, 6}) == "(0-5 5-11)");
  CHECK(plan_of({0, 0, 3}) == "0-3");
  CHECK(plan_of({1, 1, 1}) == "(0-1 (1-2 2-3))");
}

TEST_CASE("reduce plan: a long shard is an ascending chain in chunks of 512, reduced in a tree") {
  CHECK(plan_of({1300}) == "((0-512 512-1024) 1024-1300)");
  CHECK(plan_of({512}) == "0-512");
  CHECK(plan_of({513}) == "(0-512 512-513)");
  CHECK(plan_of({2560}) == "(((0-512 512-1024) (1024-1536 1536-2048)) 2048-2560)");
}

TEST_CASE("reduce plan: many lengths cover the rows in order") {
  for (Index sequences = 1; sequences < 40; ++sequences) {
    std::vector<Index> lengths;
    for (Index i = 0; i < sequences; ++i) lengths.push_back(i * i * 37 % 701);
    plan_of(lengths);
  }
}

// The tree of one part of a batch; its rows count from 0.
std::string plan_of_part(const std::vector<Index>& lengths, Index index, Index count) {
  const BatchPart part{index, count, static_cast<Index>(lengths.size())};
  std::vector<Index> offsets{0};
  for (Index s = part.begin(); s < part.end(); ++s) offsets.push_back(offsets.back() + lengths[s]);
  ReductionTree plan;
  plan.assign(offsets, part);
  CHECK(plan.rows == offsets.back());
  CHECK(plan.part.shard_begin(plan.part.shards()) == part.end() - part.begin());
  return text_of(plan);
}

TEST_CASE("reduce plan: a part of the batch is a subtree of the whole") {
  const std::vector<Index> lengths{10, 20, 30, 40, 5, 5, 5, 5};
  CHECK(plan_of(lengths) == "(((0-10 10-30) (30-60 60-100)) ((100-105 105-110) (110-115 115-120)))");
  CHECK(plan_of_part(lengths, 0, 1) == plan_of(lengths));
  CHECK(plan_of_part(lengths, 0, 2) == "((0-10 10-30) (30-60 60-100))");
  CHECK(plan_of_part(lengths, 1, 2) == "((0-5 5-10) (10-15 15-20))");
  CHECK(plan_of_part(lengths, 1, 4) == "(0-30 30-70)");
  CHECK(plan_of_part(lengths, 7, 8) == "0-5");
}

TEST_CASE("reduce plan: parts of a batch of few sequences may be empty, and keep the shards of the whole") {
  CHECK(plan_of({7, 8, 9}) == "(0-7 (7-15 15-24))");
  CHECK(plan_of_part({7, 8, 9}, 0, 2) == "0-7");
  CHECK(plan_of_part({7, 8, 9}, 1, 2) == "(0-8 8-17)");
  CHECK(plan_of_part({7, 8, 9}, 0, 4) == "");
  CHECK(plan_of_part({7, 8, 9}, 2, 4) == "0-8");
}

TEST_CASE("reduce plan: parts cover every batch once, shard by shard") {
  for (Index sequences = 1; sequences < 40; ++sequences) {
    for (Index count = 1; count <= kShards; count *= 2) {
      Index end = 0;
      for (Index index = 0; index < count; ++index) {
        const BatchPart part{index, count, sequences};
        CHECK(part.begin() == end);
        for (Index shard = 0; shard <= part.shards(); ++shard) {
          CHECK(part.begin() + part.shard_begin(shard) ==
                BatchPart::whole(sequences).shard_begin(index * part.shards() + shard));
        }
        end = part.end();
      }
      CHECK(end == sequences);
    }
  }
}

TEST_CASE("reduce plan: a sum of doubles follows the tree") {
  ReductionTree plan;
  plan.assign(std::vector<Index>{0, 1, 2, 3, 4, 5});
  const std::vector<double> x{1e17, 3, -1e17, 5, 7};
  CHECK(text_of(plan) == "((0-1 1-2) (2-3 (3-4 4-5)))");
  TreeSum sum;
  for (const ReductionLeaf& leaf : plan.leaves) sum.add(leaf, x[leaf.begin]);
  CHECK(sum.total() == (x[0] + x[1]) + (x[2] + (x[3] + x[4])));
  CHECK(TreeSum().total() == 0);
}

TEST_CASE("reduce plan: assigning again forgets the plan before") {
  ReductionTree plan;
  plan.assign(std::vector<Index>{0, 700, 1400});
  plan.assign(std::vector<Index>{0, 3});
  CHECK(text_of(plan) == "0-3");
  plan.assign({});
  CHECK(plan.leaves.empty());
  CHECK(plan.rows == 0);
}

}  // namespace
}  // namespace headwater
