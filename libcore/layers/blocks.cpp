#include "layers/blocks.hpp"

namespace headwater {

namespace {

std::optional<MultiHeadAttention> attention_of(LayerBuilder& builder, const std::string& name,
                                               const BlockSettings& settings) {
  if (settings.mixing != Mixing::attention) return std::nullopt;
  return MultiHeadAttention(builder, name + ".self_attention", settings.attention);
}

std::optional<TokenMixing> token_mixing_of(LayerBuilder& builder, const std::string& name,
                                           const BlockSettings& settings) {
  if (settings.mixing != Mixing::mlp) return std::nullopt;
  return TokenMixing(builder, name + ".token_mixing",
                     {.length = settings.mixing_length,
                      .hidden_width = settings.mixing_width,
                      .width = settings.attention.width,
                      .activation = settings.activation});
}

}  // namespace

EncoderBlock::EncoderBlock(LayerBuilder& builder, const std::string& name, const BlockSettings& settings)
    : self_attention_(attention_of(builder, name, settings)),
      token_mixing_(token_mixing_of(builder, name, settings)),
      self_residual_(builder,
                     name + (settings.mixing == Mixing::attention ? ".self_attention_norm" : ".mixing_norm"),
                     settings),
      feed_forward_(builder, name + ".feed_forward", settings),
      feed_forward_residual_(builder, name + ".feed_forward_norm", settings) {}

EncoderBlockOutput EncoderBlock::operator()(const ForwardContext& context, const Variable& x,
                                            Causality causality, const KeyTokens* keys) const {
  const Variable read = self_residual_.input(context, x);
  Attended self;
  Variable mixed;
  if (self_attention_) {
    const Variable memory = keys ? ops::take_rows(context.tape, read, keys->tokens, keys->packing) : read;
    self = (*self_attention_)(context, read, memory, causality);
    mixed = self.output;
  } else {
    mixed = token_mixing_ ? (*token_mixing_)(context, read) : ops::fourier_mix(context.tape, read);
  }
  const Variable z = self_residual_.sum(context, x, mixed);
  const Variable fed = feed_forward_(context, feed_forward_residual_.input(context, z));
  return {feed_forward_residual_.sum(context, z, fed), self};
}

DecoderBlock::DecoderBlock(LayerBuilder& builder, const std::string& name, const BlockSettings& settings)
    : self_attention_(builder, name + ".self_attention", settings.attention),
      self_residual_(builder, name + ".self_attention_norm", settings),
      cross_attention_(builder, name + ".cross_attention", settings.attention),
      cross_residual_(builder, name + ".cross_attention_norm", settings),
      feed_forward_(builder, name + ".feed_forward", settings),
      feed_forward_residual_(builder, name + ".feed_forward_norm", settings) {}

DecoderBlockOutput DecoderBlock::operator()(const ForwardContext& context, const Variable& x,
                                            const Variable& memory) const {
  const Variable read = self_residual_.input(context, x);
  const Attended self = self_attention_(context, read, read, Causality::causal);
  const Variable z = self_residual_.sum(context, x, self.output);
  const Attended cross =
      cross_attention_(context, cross_residual_.input(context, z), memory, Causality::full);
  const Variable u = cross_residual_.sum(context, z, cross.output);
  const Variable fed = feed_forward_(context, feed_forward_residual_.input(context, u));
  return {feed_forward_residual_.sum(context, u, fed), self, cross};
}

Variable DecoderBlock::step(const ForwardContext& context, const Variable& x, const DecoderCache& cache,
                            std::span<const Index> positions, const CacheView& self_view,
                            const CacheView& cross_view) const {
  const Variable read = self_residual_.input(context, x);
  const Variable z =
      self_residual_.sum(context, x, self_attention_.step(context, read, cache.self, positions, self_view));
  const Variable crossed =
      cross_attention_.over_cache(context, cross_residual_.input(context, z), cache.cross, cross_view);
  const Variable u = cross_residual_.sum(context, z, crossed);
  return feed_forward_residual_.sum(context, u,
                                    feed_forward_(context, feed_forward_residual_.input(context, u)));
}

}  // namespace headwater
