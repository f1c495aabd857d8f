// The tree in which gradients over tokens are summed.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tensor/fold.hpp"

namespace headwater {
namespace {

// The tree in brackets, leaves as begin-end.
std::string text_of(const FoldPlan& plan) {
  std::vector<std::string> stack;
  int deepest = 0;
  for (const FoldLeaf& leaf : plan.leaves) {
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
  FoldPlan plan;
  plan.assign(offsets);
  CHECK(plan.rows == offsets.back());
  Index at = 0;
  for (const FoldLeaf& leaf : plan.leaves) {
    CHECK(leaf.begin == at);
    CHECK(leaf.end > leaf.begin);
    CHECK(leaf.end - leaf.begin <= kChunkTokens);
    at = leaf.end;
  }
  CHECK(at == plan.rows);
  return text_of(plan);
}

TEST_CASE("fold plan: eight shards of whole sequences in a binary tree") {
  CHECK(plan_of({1, 2, 3, 4, 5, 6, 7, 8}) == "(((0-1 1-3) (3-6 6-10)) ((10-15 15-21) (21-28 28-36)))");
  CHECK(plan_of({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}) ==
        "(((0-2 2-4) (4-6 6-8)) ((8-10 10-12) (12-14 14-16)))");
}

TEST_CASE("fold plan: absent shards are skipped") {
  CHECK(plan_of({}) == "");
  CHECK(plan_of({5}) == "0-5");
  CHECK(plan_of({5, 6}) == "(0-5 5-11)");
  CHECK(plan_of({0, 0, 3}) == "0-3");
  CHECK(plan_of({1, 1, 1}) == "(0-1 (1-2 2-3))");
}

TEST_CASE("fold plan: a long shard is an ascending chain in chunks of 512, folded in a tree") {
  CHECK(plan_of({1300}) == "((0-512 512-1024) 1024-1300)");
  CHECK(plan_of({512}) == "0-512");
  CHECK(plan_of({513}) == "(0-512 512-513)");
  CHECK(plan_of({2560}) == "(((0-512 512-1024) (1024-1536 1536-2048)) 2048-2560)");
}

TEST_CASE("fold plan: many lengths cover the rows in order") {
  for (Index sequences = 1; sequences < 40; ++sequences) {
    std::vector<Index> lengths;
    for (Index i = 0; i < sequences; ++i) lengths.push_back(i * i * 37 % 701);
    plan_of(lengths);
  }
}

TEST_CASE("fold plan: half the batch is half the tree") {
  // Ranks and micro-batches own whole subtrees: the plan of shards 0..3 alone is the left operand of the
  // whole.
  const std::string whole = plan_of({10, 20, 30, 40, 5, 5, 5, 5});
  CHECK(whole == "(((0-10 10-30) (30-60 60-100)) ((100-105 105-110) (110-115 115-120)))");
}

TEST_CASE("fold plan: assigning again forgets the plan before") {
  FoldPlan plan;
  plan.assign(std::vector<Index>{0, 700, 1400});
  plan.assign(std::vector<Index>{0, 3});
  CHECK(text_of(plan) == "0-3");
  plan.assign({});
  CHECK(plan.leaves.empty());
  CHECK(plan.rows == 0);
}

}  // namespace
}  // namespace headwater
