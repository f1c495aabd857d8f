// mixing: plain_attention. Attention without parameters, with which textbooks begin: the tokens are queries,
// keys and values at once. Heads share the features, K = D/H of each: y_h = softmax(x_h·x_hᵀ/sqrt(K))·x_h.
// Rotary positions turn the tokens as queries and keys, not as values.
#include "layers/mixers/attention_mixer.hpp"

namespace headwater {

namespace {

class PlainAttention : public AttentionMixer {
 public:
  PlainAttention(LayerBuilder& /*builder*/, const std::string& block, const MixerSettings& settings)
      : AttentionMixer(settings), random_layer_(random_layer(block + ".self_attention")) {}

  MixerOutput operator()(const ForwardContext& context, const Variable& x,
                         const MixerSources& sources) const override {
    Tape& tape = context.tape;
    const KeyTokens* const keys = sources.keys;
    const Variable v = keys ? ops::take_rows(tape, x, keys->tokens, keys->packing) : x, q = turned(tape, x),
                   k = keys ? turned(tape, v) : q;
    const Variable y =
        ops::attention(tape, q, k, v, attention_op_settings(context, settings(), causality(), random_layer_));
    return {.hidden = y, .self = {y, q, k, v, causality(), settings().window}};
  }
  double flops(Index length) const override { return weighting_flops(settings(), length, causality()); }

 private:
  Variable turned(Tape& tape, const Variable& x) const {
    return settings().rotary ? ops::rotate(tape, x, settings().rotary->view()) : x;
  }
  Variable step(const ForwardContext& context, const Variable& x, const kernels::AttentionCache& cache,
                const CachedStep& at) const override {
    Matrix q = x.value();
    if (settings().rotary) {
      q = context.tape.arena().matrix(x.rows(), x.cols());
      kernels::rotate(x.value(), at.positions, settings().rotary->view(), kernels::Turn::forth, q, false);
    }
    kernels::append_to_cache(cache, at.self.slots, at.positions, q, x.value());
    return weigh_cached(context, q, cache, at.self);
  }

  std::uint32_t random_layer_;
};

}  // namespace

extern const MixerKind kPlainAttentionMixer{
    .name = "plain_attention",
    .meaning =
        "attention without parameters: the tokens are queries, keys and values, whose features the heads "
        "share",
    .part = "self_attention",
    .takes_steps = true,
    .leaves_out_keys = true,
    .has_attention = true,
    .head_width =
        [](const AttentionLayerSettings& settings) {
          return settings.width % settings.heads == 0 ? settings.width / settings.heads : 0;
        },
    .heads = "heads that share the width",
    .construct = construct_mixer<PlainAttention>};

}  // namespace headwater
