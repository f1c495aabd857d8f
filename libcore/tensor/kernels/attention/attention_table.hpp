// Attention of one sequence and head on one thread, once for each vector width; attention.cpp and
// attention_cache.cpp cut the work into tasks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/kernels/attention/attention.hpp"
#include "tensor/kernels/dropout/dropout_table.hpp"
#include "tensor/matrix.hpp"

namespace headwater::kernels {

inline constexpr Index kKeyTile = 64;      // keys; part of the definition
inline constexpr Index kQueryBlock = 144;  // most queries that share scores; not part of it
inline constexpr Index kMaxKeySpan = 192;  // most keys that share scores: some tiles

// One sequence and head.
struct AttentionHead {
  MatrixOf<const float> q, k, v;  // [queries, K], [keys, K], [keys, K]
  float scale = 1;
  bool is_causal = false;
  Index window = 0;
  DropoutRule dropout;
  std::uint64_t first_element = 0,
                element_step = 0;  // key 0 for query 0; from one query to the next (multiples of 2^16)
  // Inputs and results of all heads are too large for the caches: results go past them.
  bool are_large = false;
  bool prefetches = false;  // what the next head will read is brought into L2 meanwhile
  MatrixOf<const float> prefetch[5] = {};
  float* scratch = nullptr;  // so many floats as below, aligned to 64 bytes
};
// Keys that are packed together: those of a narrow head stay near the processor.
inline Index key_span(Index keys, Index K) {
  const Index most = std::clamp<Index>(16'384 / padded_width(K) / kKeyTile * kKeyTile, kKeyTile, kMaxKeySpan);
  return padded_width(keys) < most ? padded_width(keys) : most;
}
inline Index attention_scratch(Index queries, Index keys, Index K) {
  const Index span = key_span(keys, K), tiles = kMaxKeySpan / kKeyTile;
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

// Queries of a decoding step: row b of q sees the first lengths[b] keys of slot slots[b], or the last of
// these that are in the window.
struct CacheQueries {
  MatrixOf<const float> q;
  const Index* slots;
  const Index* lengths;
  float scale;
};
struct AttentionCacheTable {
  // Key and value rows of H·K numbers.
  void (*append)(const AttentionCache& cache, Index slot, Index position, const float* key,
                 const float* value);
  void (*attend)(const AttentionCache& cache, const CacheQueries& queries, MatrixOf<float> out);
};

}  // namespace headwater::kernels
