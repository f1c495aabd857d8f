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
#include "layers/norm.hpp"

namespace headwater {

enum class NormPlace { post, pre };

// The settings of its mixer, and
struct BlockSettings : MixerSettings {
  Index feed_forward_width = 0;        // F
  bool has_second_activation = false;  // the outer layer of the feed-forward ends with it, too
  NormPlace norm_place = NormPlace::post;
  bool has_final_norm = true;  // pre: one more after the last block of a stack
  double norm_epsilon = 1e-3;
  double dropout = 0;               // after each sub-layer
  double feed_forward_dropout = 0;  // after each of the two layers of the feed-forward
};

// act(x·W1 + b1)·W2 + b2, token by token.
class FeedForward {
 public:
  FeedForward(LayerBuilder& builder, const std::string& name, const BlockSettings& settings);
  Variable operator()(const ForwardContext& context, const Variable& x) const;

 private:
  Linear inner_, outer_;
  std::optional<Dropout> inner_dropout_, outer_dropout_;
};

// What a sub-layer f adds to x, with its norm and its dropout.
class Residual {
 public:
  Residual(LayerBuilder& builder, const std::string& name, const BlockSettings& settings)
      : norm_(builder, name, settings.attention.width, settings.norm_epsilon),
        dropout_(name, settings.dropout),
        place_(settings.norm_place) {}
  // Nobody else reads what f returns.
  template <class SubLayer>
  Variable operator()(const ForwardContext& context, const Variable& x, const SubLayer& f) const {
    if (place_ == NormPlace::post) return norm_.after_sum(context, x, dropout_(context, f(x)));
    return ops::add(context.tape, x, dropout_(context, f(norm_(context, x))), ops::Use::donate);
  }

 private:
  LayerNorm norm_;
  Dropout dropout_;
  NormPlace place_;
};

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
