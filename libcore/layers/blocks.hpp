// Encoder and decoder blocks, pre- and post-norm.
//
// Post-norm (Vaswani et al. 2017): z = norm(x + attention(x)); y = norm(z + feed_forward(z)).
// Pre-norm (Xiong et al. 2020): z = x + attention(norm(x)); y = z + feed_forward(norm(z)).
#pragma once

#include <optional>
#include <string>

#include "layers/attention.hpp"
#include "layers/dropout.hpp"
#include "layers/mixing.hpp"
#include "layers/norm.hpp"

namespace headwater {

enum class NormPlace { post, pre };

struct BlockSettings {
  AttentionLayerSettings attention;
  Index feed_forward_width = 0;  // F
  ops::Activation activation = ops::Activation::relu;
  NormPlace norm_place = NormPlace::post;
  double norm_epsilon = 1e-3;
  double dropout = 0;                 // behind each sub-layer
  Mixing mixing = Mixing::attention;  // of an encoder block
  Index mixing_length = 0;            // mlp: N, the longest sequence
  Index mixing_width = 0;             // mlp: H, its hidden layer
};

// act(x·W1 + b1)·W2 + b2, token by token.
class FeedForward {
 public:
  FeedForward(LayerBuilder& builder, const std::string& name, const BlockSettings& settings)
      : inner_(builder, name + ".inner", settings.attention.width, settings.feed_forward_width,
               settings.activation),
        outer_(builder, name + ".outer", settings.feed_forward_width, settings.attention.width) {}
  Variable operator()(const ForwardContext& context, const Variable& x) const {
    return outer_(context, inner_(context, x));
  }

 private:
  Linear inner_, outer_;
};

// One residual sub-layer: where its norm stands, and its dropout.
class Residual {
 public:
  Residual(LayerBuilder& builder, const std::string& name, const BlockSettings& settings)
      : norm_(builder, name, settings.attention.width, settings.norm_epsilon),
        dropout_(builder, settings.dropout),
        place_(settings.norm_place) {}
  // What the sub-layer reads.
  Variable input(const ForwardContext& context, const Variable& x) const {
    return place_ == NormPlace::pre ? norm_(context, x) : x;
  }
  // x and what the sub-layer made of it, z, which nobody else reads.
  Variable sum(const ForwardContext& context, const Variable& x, const Variable& z) const {
    const Variable dropped = dropout_(context, z);
    return place_ == NormPlace::post ? norm_.after_sum(context, x, dropped)
                                     : ops::add(context.tape, x, dropped, ops::Use::consume);
  }

 private:
  LayerNorm norm_;
  Dropout dropout_;
  NormPlace place_;
};

struct EncoderBlockOutput {
  Variable hidden;  // [T, D]
  Attended self;    // empty where the block mixes otherwise
};

// The tokens that attention reads, where it does not read all: each token still asks.
struct KeyTokens {
  std::span<const std::int32_t> tokens;  // ascending
  const Packing& packing;                // theirs
};

class EncoderBlock {
 public:
  EncoderBlock(LayerBuilder& builder, const std::string& name, const BlockSettings& settings);
  // `keys`, null for all tokens, is for attention only.
  EncoderBlockOutput operator()(const ForwardContext& context, const Variable& x, Causality causality,
                                const KeyTokens* keys = nullptr) const;

 private:
  std::optional<MultiHeadAttention> self_attention_;  // or
  std::optional<TokenMixing> token_mixing_;           // or Fourier mixing, which has no parameters
  Residual self_residual_;
  FeedForward feed_forward_;
  Residual feed_forward_residual_;
};

struct DecoderBlockOutput {
  Variable hidden;  // [T, D]
  Attended self, cross;
};

// What a decoder block remembers of the sequences that it decodes.
struct DecoderCache {
  kernels::AttentionCache self;   // grows by one key a step
  kernels::AttentionCache cross;  // keys and values of the encoder's output
};

class DecoderBlock {
 public:
  DecoderBlock(LayerBuilder& builder, const std::string& name, const BlockSettings& settings);
  DecoderBlockOutput operator()(const ForwardContext& context, const Variable& x,
                                const Variable& memory) const;

  // One new token of each sequence: x [B, D] at `positions` of the slots of self_view, whose lengths count it
  // already.
  Variable step(const ForwardContext& context, const Variable& x, const DecoderCache& cache,
                std::span<const Index> positions, const CacheView& self_view,
                const CacheView& cross_view) const;

  const MultiHeadAttention& self_attention() const { return self_attention_; }
  const MultiHeadAttention& cross_attention() const { return cross_attention_; }

 private:
  MultiHeadAttention self_attention_;
  Residual self_residual_;
  MultiHeadAttention cross_attention_;
  Residual cross_residual_;
  FeedForward feed_forward_;
  Residual feed_forward_residual_;
};

}  // namespace headwater
