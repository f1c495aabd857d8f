// Products of matrices, once for each vector width: each function does one block of the output on one thread; gemm.cpp cuts the work.
#pragma once

#include "tensor/fold.hpp"
#include "tensor/kernels.hpp"

namespace headwater::kernels {

// Depth of a block of k: a strip of A and a panel of B of this depth stay in the first-level cache.
inline constexpr Index kDepth = 256;
inline constexpr Index kPanel = 16;          // columns of a packed panel, [k][16]
inline constexpr Index kMostColumns = 256;   // of a block of the output
inline constexpr Index kMostWeightRows = 112;  // of a block of a weight gradient

// What happens to a finished element: bias is added, then `pre` written, then the activation applied, then C written or added to.
struct Finish {
  const float* bias = nullptr;  // of the block's first column
  Activation activation = Activation::none;
  float* pre = nullptr;
  Index pre_stride = 0;
  bool accumulate = false;
};

enum class Layout { plain, transposed };

// C [M, N] = A [M, K] · B: B(k, n) = b[k·b_stride + n], or b[n·b_stride + k] if transposed. scratch: gemm_scratch(...) floats, aligned.
struct GemmBlock {
  Index M, N, K;
  const float* a;
  Index a_stride;
  const float* b;
  Index b_stride;
  Layout b_layout;
  float* c;
  Index c_stride;
  Finish finish;
  float* scratch;
};
// C spills between blocks of k: into C itself, or into scratch where the sum is added to what C holds.
inline Index gemm_scratch(Index M, Index K, bool accumulate) {
  return kDepth * kMostColumns + 16 * (kDepth + 16) + (accumulate && K > kDepth ? M * kMostColumns : 0);
}

// C [M, N] (+)= Σ over the plan's tokens of A[t, m]·B[t, n], folded by its leaves.
struct WeightBlock {
  Index M, N;
  const float* a;
  Index a_stride;
  const float* b;
  Index b_stride;
  float* c;
  Index c_stride;
  bool accumulate;
  const FoldLeaf* leaves;
  Index leaf_count;
  int depth;  // most partial sums alive at once
  float* scratch;
};
inline Index weight_scratch(int depth) {
  return kChunkTokens * (kMostColumns + 16) + static_cast<Index>(depth) * kMostWeightRows * kMostColumns + 16;
}

// One row of logits in place: loss and whether the label wins; with `gradient` the row becomes loss_scale · (softmax - q).
struct CrossEntropyRow {
  float* logits;
  Index V;
  Index label;
  float smoothing, loss_scale;
  bool wants_gradient;
};
struct CrossEntropyRowResult {
  float loss;
  bool is_correct;
};

struct GemmTable {
  void (*gemm)(const GemmBlock& block);
  void (*weight_gradient)(const WeightBlock& block);
  // db [N] (+)= column sums of B, folded by the leaves.
  void (*column_sums)(const WeightBlock& block);
  void (*activate)(Activation activation, const float* x, float* y, Index count);
  // dx = dy · act'; y or pre as the activation needs.
  void (*activate_backward)(Activation activation, const float* y, const float* pre, const float* dy, float* dx, Index count);
  CrossEntropyRowResult (*cross_entropy_row)(const CrossEntropyRow& row);
  void (*add_rows)(const float* x, float* y, Index count);  // y = y + x
};
const GemmTable& gemm_table();

}  // namespace headwater::kernels
