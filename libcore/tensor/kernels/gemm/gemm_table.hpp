// Products with weights on one thread, once for each vector width; linear.cpp, weight_gradient.cpp,
// packed.cpp and loss/loss.cpp cut the work into tasks.
#pragma once

#include <cstdint>

#include "tensor/kernels/gemm/gemm.hpp"

namespace headwater::kernels {

inline constexpr Index kKC =
    384;  // most steps of a k-block; a chain is interrupted there and goes on exactly
inline constexpr Index kTileLanes =
    32;  // columns of packed blocks come in groups of so many (a multiple of every ISA's tile)
inline constexpr Index kGemvRows = 4;  // a product of so few rows reads b in place, as it streams from memory

inline Index round_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

// What happens to a finished sum.
struct GemmEpilogue {
  const float* bias = nullptr;
  Activation activation = Activation::none;
  MatrixOf<float> slope = {};  // of the activation at the sum with bias, where keeps_slope and given
  bool accumulate = false;
  // Then, not with an activation, c is multiplied by the slope of the one that made what c is the gradient
  // of.
  UndoneActivation undone = {};
};

// c (+)= act(a·b + bias) with a [M, K], b [K, N], or [N, K] if transposed; all of it.
struct GemmTask {
  MatrixOf<const float> a, b;
  bool is_transposed = false;
  MatrixOf<float> c;
  GemmEpilogue epilogue = {};
  float* scratch = nullptr;  // gemm_scratch() floats, aligned to 64 bytes
};
// Block of b, micro_panel of a, the sums between k-blocks; of a GEMV its sums, or some of bᵀ.
inline Index gemm_scratch(Index M, Index N, Index K) {
  if (M <= kGemvRows) return kGemvRows * round_up(N, kTileLanes) + 32 * 144 + 64;
  const Index depth = K < kKC ? K : kKC, cols = round_up(N, kTileLanes);
  return depth * cols + 16 * (kKC + 16) + (K > kKC ? (M + 16) * cols : 0) + 64;
}

// c = act(a·b + bias) with b in panels of 16 columns (kernels::PackedWeight), of which c has the first.
struct PackedTask {
  MatrixOf<const float> a;
  const float* panels = nullptr;
  MatrixOf<float> c;
  const float* bias = nullptr;
  Activation activation = Activation::none;
};
struct PackedTable {
  void (*multiply)(const PackedTask& task);
  // Panels [first, last) of w to their places after `to`.
  void (*pack)(MatrixOf<const float> w, Index first, Index last, float* to);
};

// c (+)= Σ_t x[t]ᵀ y[t] over the tokens of the leaves, reduced as they say: x [T, M], y [T, N], c [M, N];
// row_sums of y likewise.
struct WeightTask {
  MatrixOf<const float> x, y;
  const ReductionLeaf* leaves = nullptr;
  Index leaf_count = 0;
  int last_merges = 0;  // of the last leaf, so that one sum is left
  int depth = 0;        // most partial sums alive at once
  MatrixOf<float> c;
  float* column_sums = nullptr;  // [N], or null
  bool accumulate = false;
  float* scratch = nullptr;  // weight_scratch() floats, aligned to 64 bytes
};
// Tokens that are packed together: few enough for a block of so many columns to stay in L2.
inline Index segment_tokens(Index N) {
  const Index tokens = 65'536 / round_up(N > 0 ? N : 1, kTileLanes) / 16 * 16;
  return tokens < 128 ? 128 : tokens < kChunkTokens ? tokens : kChunkTokens;
}
inline Index weight_scratch(Index M, Index N, int depth) {
  const Index cols = round_up(N, kTileLanes), tile = 16 * kTileLanes;
  return segment_tokens(N) * cols + depth * ((M + 16 + 1) * cols + tile) + 64;
}

// Sums of the subtrees of a reduction put together: part i at parts + i·part_stride, merges[i] after it.
struct PartialReduction {
  const float* parts;
  Index part_stride, count;
  const int* merges;
  float* to;
  Index values;
  bool accumulate;
};
inline constexpr int kMaxParts = 16;

struct GemmTable {
  void (*multiply)(const GemmTask& task);
  void (*weight)(const WeightTask& task);
  void (*reduce)(const PartialReduction& reduce);
};

}  // namespace headwater::kernels
