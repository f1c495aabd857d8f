// The kernels other than products with weights, once for each vector width: each function does one task on
// one thread; the functions of kernels.hpp (attention.cpp, norm.cpp, ...) cut the work into tasks and call
// them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "support/parallel.hpp"
#include "support/random.hpp"
#include "tensor/kernels.hpp"

namespace headwater::kernels {

// --- Dropout: an element is kept where its word is at least `bound`, and then multiplied by `scale`
// ---------------------
struct DropoutRule {
  RandomStream stream;
  std::uint32_t bound = 0;  // rate · 2^32; 0: nothing is dropped
  float scale = 1;          // 1 / (1 - rate)
};
DropoutRule dropout_rule(float rate, const RandomStream& stream);

// --- Attention
// ----------------------------------------------------------------------------------------------------------
inline constexpr Index kKeyTile = 64;       // keys; part of the definition
inline constexpr Index kQueryBlock = 144;   // most queries that share scores; not part of it
inline constexpr Index kMostKeySpan = 192;  // most keys that share scores: some tiles

// One sequence and head.
struct AttentionHead {
  MatrixOf<const float> q, k, v;  // [queries, K], [keys, K], [keys, K]
  float scale = 1;
  bool is_causal = false;
  DropoutRule dropout;
  std::uint64_t first_element = 0,
                element_step = 0;  // key 0 for query 0; from one query to the next (multiples of 2^16)
  // Inputs and results of all heads are too large for the caches: results go past them, and what the next
  // head will read is fetched meanwhile.
  bool are_large = false;
  MatrixOf<const float> ahead[5] = {};
  float* scratch = nullptr;  // so many floats as below, aligned to 64 bytes
};
inline Index padded_width(Index width) { return (width + 15) / 16 * 16; }
// Keys that are packed together: those of a narrow head stay near the processor.
inline Index key_span(Index keys, Index K) {
  const Index most =
      std::clamp<Index>(16'384 / padded_width(K) / kKeyTile * kKeyTile, kKeyTile, kMostKeySpan);
  return padded_width(keys) < most ? padded_width(keys) : most;
}
inline Index attention_scratch(Index queries, Index keys, Index K) {
  const Index span = key_span(keys, K), tiles = kMostKeySpan / kKeyTile;
  return 2 * span * padded_width(K) + kQueryBlock * (span + tiles + 1) + 2 * padded_width(queries);
}
inline Index attention_backward_scratch(Index queries, Index keys, Index K) {
  const Index span = key_span(keys, K);
  return (3 * span + 2 * kQueryBlock) * padded_width(K) + 2 * kQueryBlock * span + 3 * padded_width(queries);
}

struct AttentionGradients {
  MatrixOf<float> dq, dk, dv;
};

// stats [queries, 2]: m and l of each query.
struct AttentionTable {
  void (*forward)(const AttentionHead& head, MatrixOf<float> out, MatrixOf<float> stats);
  void (*backward)(const AttentionHead& head, MatrixOf<const float> out, MatrixOf<const float> stats,
                   MatrixOf<const float> dout, const AttentionGradients& to);
  void (*weights)(const AttentionHead& head, MatrixOf<float> weights);
};
const AttentionTable& attention_table();

// Queries of a decoding step: row b of q sees the first lengths[b] keys of slot slots[b].
struct CacheQueries {
  MatrixOf<const float> q;
  const Index* slots;
  const Index* lengths;
  float scale;
};
struct CacheTable {
  // Key and value rows of H·K numbers.
  void (*append)(const AttentionCache& cache, Index slot, Index position, const float* key,
                 const float* value);
  void (*attend)(const AttentionCache& cache, const CacheQueries& queries, MatrixOf<float> out);
};
const CacheTable& cache_table();

// --- Gradients over tokens
// ------------------------------------------------------------------------------------------------
struct Leaves {
  const FoldLeaf* first;
  Index count;
};
inline constexpr int kMostPartialSums =
    64;                                  // of a fold; a plan's depth grows with the logarithm of its tokens
void check_depth(const FoldPlan& plan);  // throws Error where it is deeper

// --- Layer norm
// -------------------------------------------------------------------------------------------------------------
struct NormRule {
  const float* gamma;
  const float* beta;
  float epsilon;
};
struct NormOutputs {
  MatrixOf<float> sum, y, moments;  // sum and moments may be empty
};
struct NormParameters {
  float* dgamma;
  float* dbeta;
  bool accumulate;
};
struct NormBackward {
  MatrixOf<const float> x, moments;
  const float* gamma;
  MatrixOf<const float> dy;
  MatrixOf<float> dx;
  bool accumulate;  // to dx
};
inline constexpr Index kNormColumns = 32;  // a task of backward_parameters
struct NormTable {
  void (*forward)(const NormRule& rule, MatrixOf<const float> x, MatrixOf<const float> residual,
                  const NormOutputs& to);
  void (*backward_input)(MatrixOf<const float> x, MatrixOf<const float> moments, const float* gamma,
                         MatrixOf<const float> dy, MatrixOf<float> dx, bool accumulate);
  // Both gradients of the tokens of some leaves in one pass; sums: those of dgamma, then of dbeta, each
  // padded_width(D) values. stack: as many values for each partial sum.
  void (*backward)(const NormBackward& of, const Leaves& leaves, int last_merges, float* stack, float* sums);
  void (*backward_parameters)(MatrixOf<const float> x, MatrixOf<const float> moments,
                              MatrixOf<const float> dy, const Leaves& leaves, Index first_column,
                              const NormParameters& to);
};
const NormTable& norm_table();

// --- Embedding
// ------------------------------------------------------------------------------------------------------------
// One row of the table and the tokens (ascending) that look it up.
struct EmbeddingRow {
  MatrixOf<const float> dy;
  const std::int32_t* tokens;
  Index count;  // 1 or more
  float scale;
  float* to;
  bool accumulate;
};
// Tokens that are looked up one after the other; `positions` may be empty.
struct EmbeddingLookup {
  const std::int32_t* ids;
  MatrixOf<const float> table;
  float scale;
  const std::int32_t* position_of;
  MatrixOf<const float> positions;
};
struct EmbeddingTable {
  void (*forward)(const EmbeddingLookup& lookup, MatrixOf<float> y);
  void (*backward)(const EmbeddingRow& row, const Leaves& leaves);
};
const EmbeddingTable& embedding_table();

// --- Elementwise
// ----------------------------------------------------------------------------------------------------------
struct ElementwiseTable {
  void (*fill)(Index n, float value, float* y);
  void (*add)(Index n, const float* a, const float* b, float* y);
  void (*scale)(Index n, const float* x, float factor, float* y, bool accumulate);
  void (*copy)(Index n, const float* x, float* y);
  // to[step·c + r] = x[stride·r + c] for 16 rows r
  void (*transpose)(const float* x, Index stride, Index cols, float* to, Index step);
  void (*dropout)(Index n, const float* x, const DropoutRule& rule, std::uint64_t first_element, float* y,
                  bool accumulate);
};
const ElementwiseTable& elementwise_table();

// --- Softmax
// ----------------------------------------------------------------------------------------------------------------
// The first of the largest values; index -1 where none is above -infinity.
struct Largest {
  float value;
  std::int32_t index;
};
struct SoftmaxTable {
  void (*softmax)(Index n, const float* x, float* y);
  void (*backward)(Index n, const float* y, const float* dy, float* dx, bool accumulate);
  float (*log_sum_exp)(Index n, const float* x);
  std::int32_t (*argmax)(Index n, const float* x, const std::int32_t* skip, Index skips);
  Largest (*largest)(Index n, const float* x);
};
const SoftmaxTable& softmax_table();

// --- Optimizers
// -------------------------------------------------------------------------------------------------------------
struct OptimizerTable {
  void (*rmsprop)(const RmspropRule& rule, Index n, float* w, float* v, const float* g);
  void (*rmsprop_decay)(float rho, Index n, float* v, Index times);
  void (*moving_average)(float least_share, Index n, const float* w, float* average, Index begin, Index end);
  void (*adam)(const AdamRule& rule, Index n, float* w, float* m, float* v, const float* g);
  void (*sgd)(const SgdRule& rule, Index n, float* w, float* m, const float* g);
  double (*sum_of_squares)(Index n, const float* g);
  Index (*find_not_finite)(Index n, const float* x);
};
const OptimizerTable& optimizer_table();

// --- Tasks
// ------------------------------------------------------------------------------------------------------------------
// body(begin, end) for blocks of rows of about 16,384 values that cover [0, rows).
template <class Body>
void for_each_row_block(Index rows, Index cols, const Body& body) {
  const Index block = cols >= 16'384 ? 1 : 16'384 / (cols > 0 ? cols : 1);
  parallel_for((rows + block - 1) / block,
               [&](Index i) { body(i * block, i * block + block < rows ? i * block + block : rows); });
}

}  // namespace headwater::kernels
