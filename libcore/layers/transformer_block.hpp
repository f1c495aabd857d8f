// The Transformer block, of encoders and decoders: a mixer of the tokens, attention over an encoder's output
// where it is asked for, feed-forward; each is a residual sub-layer.
//
// Post-norm (Vaswani et al. 2017): z = norm(x + mixer(x)); y = norm(z + feed_forward(z)).
// Pre-norm (Xiong et al. 2020): z = x + mixer(norm(x)); y = z + feed_forward(norm(z)).
// A block whose mixer is recurrent is that mixer alone, and dropout: neither residuals nor norms.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "layers/attention.hpp"
#include "layers/dropout.hpp"
#include "layers/mixers/mixer.hpp"
#include "layers/sub_layers.hpp"

namespace headwater {

// What a block keeps of the sequences that it continues.
struct BlockCache {
  std::unique_ptr<MixerCache> mixer;
  kernels::AttentionCache memory = {};  // cross-attention: keys and values of the encoder's output
};

class TransformerBlock {
 public:
  TransformerBlock(LayerBuilder& builder, const std::string& name, const BlockSettings& settings);

  // x [T, D] -> [T, D], and what its mixer gave beside the tokens.
  MixerOutput operator()(const ForwardContext& context, const Variable& x,
                         const MixerSources& sources = {}) const;

  // For steps of a causal block, in the arena: `slots` sequences of at most `capacity` tokens, without
  // memory.
  BlockCache new_cache(Arena& arena, Index slots, Index capacity) const {
    return {.mixer = mixer_->new_cache(arena, slots, capacity)};
  }
  // What steps read of memory [S, D], of these sources, in the arena.
  void remember(const ForwardContext& context, const Variable& memory, std::span<const Index> offsets,
                BlockCache& cache) const;
  // Whole sequences, x [T, D] -> [T, D], and one new token of each, x [B, D] -> [B, D], as MixerCache has
  // them.
  Variable read(const ForwardContext& context, const Variable& x, const MixerSources& sources,
                const BlockCache& cache, const CacheRows& rows) const;
  Variable step(const ForwardContext& context, const Variable& x, const BlockCache& cache,
                const CachedStep& at) const;

  // Multiplications and additions over `length` tokens, of source and target.
  double flops(Index length) const;

  const BlockSettings& settings() const { return settings_; }
  const MixerKind& mixer() const { return *kind_; }

 private:
  // The sub-layers around these ways to mix tokens and to attend to the memory.
  template <class Mix, class Attend>
  Variable run(const ForwardContext& context, const Variable& x, const Mix& mix, const Attend& attend) const;

  BlockSettings settings_;
  const MixerKind* kind_;
  std::unique_ptr<Mixer> mixer_;
  Dropout mixer_dropout_;  // where there is no residual
  std::optional<Residual> mixing_residual_;
  std::optional<MultiHeadAttention> cross_attention_;
  std::optional<Residual> cross_residual_;
  std::optional<FeedForward> feed_forward_;
  std::optional<Residual> feed_forward_residual_;
};

}  // namespace headwater
