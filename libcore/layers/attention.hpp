// Multi-head attention over packed sequences, with caches for decoding.
#pragma once

#include <string>

#include "layers/builder.hpp"
#include "layers/linear.hpp"

namespace headwater {

struct AttentionLayerSettings {
  Index width = 0;       // D
  Index heads = 1;       // H
  Index head_width = 0;  // K; often D/H, and D in the classic examples of Keras
  double dropout = 0;    // of the weights
};

enum class Causality { full, causal };

// The result and what its weights are computed from (kernels::attention_weights); handles on the tape's
// arena.
struct Attended {
  Variable output;         // [Tq, D]
  Variable queries, keys;  // [Tq, H·K], [Tk, H·K]
  Causality causality = Causality::full;
};

// Keys and values of sequences that grow: sequence s owns rows s·capacity .. s·capacity + length.
struct KeyValueCache {
  Matrix keys, values;  // [sequences·capacity, H·K]
  Index capacity = 0;
};

// Which rows of a cache each query of a decoding step sees; one query a sequence.
struct CacheView {
  std::span<const Index> query_offsets;  // 0, 1, ..., B
  std::span<const Index> key_offsets;  // first row of each sequence in the cache (B values, one more ignored)
  std::span<const Index> key_lengths;  // rows it sees
};

class MultiHeadAttention {
 public:
  MultiHeadAttention(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& settings);

  // queries [Tq, D], memory [Tk, D]: softmax(QKᵀ/sqrt(K))V, then the output projection (Vaswani et al. 2017,
  // sec. 3.2.2).
  Attended operator()(const StepContext& context, const Variable& queries, const Variable& memory,
                      Causality causality) const;

  // Keys and values of `memory`, for decoding.
  void project_memory(const StepContext& context, const Variable& memory, Matrix keys, Matrix values) const;
  // One query a sequence over cached keys: [B, D] -> [B, D]; the same bits as the full computation.
  Variable over_cache(const StepContext& context, const Variable& queries, const KeyValueCache& cache,
                      const CacheView& view) const;

  Index inner_width() const { return settings_.heads * settings_.head_width; }
  const AttentionLayerSettings& settings() const { return settings_; }

 private:
  AttentionLayerSettings settings_;
  Linear to_query_, to_key_, to_value_, to_output_;
  std::uint32_t random_layer_;
};

}  // namespace headwater
