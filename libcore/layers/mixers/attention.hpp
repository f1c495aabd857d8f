// Multi-head attention over packed sequences, with caches for decoding, and rotary positions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "layers/builder.hpp"
#include "layers/linear.hpp"
#include "tensor/matrix.hpp"

namespace headwater {

// Cosines and sines of the angles p / 10000^(2i/K) of positions p < N and pairs i < K/2 (Su et al. 2021,
// sec. 3.2.2): as ops::rotate reads them.
class RotaryTable {
 public:
  RotaryTable(Index length, Index head_width);  // K is even
  ConstMatrix view() const { return {static_cast<const Real*>(values_.data()), length_, head_width_}; }

 private:
  Index length_, head_width_;
  std::vector<Real> values_;
};

struct AttentionLayerSettings {
  Index width = 0;       // D
  Index heads = 1;       // H
  Index head_width = 0;  // K; often D/H, and D in the classic examples of Keras
  double dropout = 0;    // of the weights
  Index window = 0;      // a token sees those that are less than so far away; 0: all
  std::shared_ptr<const RotaryTable> rotary =
      {};                       // turns queries and keys by their positions; null: it does not
  bool has_dense_fans = false;  // for Glorot's limit the maps are matrices, not kernels of a convolution
};

enum class Causality { full, causal };

// The result and what it is computed from: the weights follow from queries and keys
// (kernels::attention_weights). Handles on the tape's arena.
struct AttentionOutput {
  Variable output;        // [Tq, D]; on a recording tape the block's sum may stand there afterwards
  Variable queries;       // [Tq, H·K]
  Variable keys, values;  // [Tk, H·K]
  Causality causality = Causality::full;
  Index window = 0;
  Matrix weights = {};  // of additive attention [Tq, most keys], which do not follow from queries and keys
};

// The weights of one sequence and head [query length, key length].
void head_weights(const AttentionOutput& attention, const kernels::AttentionShape& shape, Index sequence,
                  Index head, Matrix weights);

// Where keys and values go in a cache: row b becomes key positions[b] of slot slots[b].
struct CacheRows {
  std::span<const Index> slots, positions;
};
// Which keys of a cache each query of a decoding step sees: the first lengths[b] of slot slots[b].
struct CacheView {
  std::span<const Index> slots, lengths;
};

// Multiplications and additions of attention over as many keys as queries: of scores and weighted sums, and
// with the four projections.
double weighting_flops(const AttentionLayerSettings& settings, Index length, Causality causality);
double attention_flops(const AttentionLayerSettings& settings, Index length, Causality causality);

// What the operation is told: dropout is of a recording tape, and drawn for `random_layer`.
ops::AttentionSettings attention_op_settings(const ForwardContext& context,
                                             const AttentionLayerSettings& settings, Causality causality,
                                             std::uint32_t random_layer);

// A cache for decoding, in the arena: so many sequences with at most `capacity` keys each.
kernels::AttentionCache new_attention_cache(const AttentionLayerSettings& settings, Arena& arena, Index slots,
                                            Index capacity);
// One query [B, H·K] a sequence over cached keys: the weighted values [B, H·K], the bits of the operation.
Variable weigh_cached(const ForwardContext& context, ConstMatrix queries,
                      const kernels::AttentionCache& cache, const CacheView& view);

class MultiHeadAttention {
 public:
  MultiHeadAttention(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& settings);

  // queries [Tq, D], memory [Tk, D]: softmax(QKᵀ/sqrt(K))V, then the output projection (Vaswani et al. 2017,
  // sec. 3.2.2).
  AttentionOutput operator()(const ForwardContext& context, const Variable& queries, const Variable& memory,
                             Causality causality) const;

  kernels::AttentionCache new_cache(Arena& arena, Index slots, Index capacity) const {
    return new_attention_cache(settings_, arena, slots, capacity);
  }
  // Keys and values of the rows of `memory`, into the cache.
  void append(const ForwardContext& context, const Variable& memory, const kernels::AttentionCache& cache,
              const CacheRows& rows) const;
  // One new token a sequence over its own keys: row b of `tokens` becomes key positions[b] of slot
  // view.slots[b], whose length counts it already. [B, D] -> [B, D].
  Variable step(const ForwardContext& context, const Variable& tokens, const kernels::AttentionCache& cache,
                std::span<const Index> positions, const CacheView& view) const;
  // One query a sequence over cached keys: [B, D] -> [B, D]; the same bits as the full computation.
  Variable attend_cached(const ForwardContext& context, const Variable& queries,
                         const kernels::AttentionCache& cache, const CacheView& view) const;

  Index inner_width() const { return settings_.heads * settings_.head_width; }
  const AttentionLayerSettings& settings() const { return settings_; }

 private:
  // Queries [Tq, H·K], keys and values [Tk, H·K]; those that read the same matrix are one operation.
  ops::Projected projected(const ForwardContext& context, const Variable& queries,
                           const Variable& memory) const;

  AttentionLayerSettings settings_;
  Linear to_query_, to_key_, to_value_, to_output_;
  std::uint32_t random_layer_;
};

}  // namespace headwater
