// mixing: attention. Multi-head attention of the tokens to each other (Vaswani et al. 2017, sec. 3.2.2).
#include "layers/mixers/attention_mixer.hpp"

namespace headwater {

namespace {

class SelfAttention : public AttentionMixer {
 public:
  SelfAttention(LayerBuilder& builder, const std::string& block, const MixerSettings& settings)
      : AttentionMixer(settings), attention_(builder, block + ".self_attention", settings.attention) {}

  MixerOutput operator()(const ForwardContext& context, const Variable& x,
                         const MixerSources& sources) const override {
    const KeyTokens* const keys = sources.keys;
    const Variable memory = keys ? ops::take_rows(context.tape, x, keys->tokens, keys->packing) : x;
    const AttentionOutput self = attention_(context, x, memory, causality());
    return {.hidden = self.output, .self = self};
  }
  double flops(Index length) const override { return attention_flops(settings(), length, causality()); }

 private:
  Variable step(const ForwardContext& context, const Variable& x, const kernels::AttentionCache& cache,
                const CachedStep& at) const override {
    return attention_.step(context, x, cache, at.positions, at.self);
  }

  MultiHeadAttention attention_;
};

}  // namespace

extern const MixerKind kAttentionMixer{.name = "attention",
                                       .meaning = "multi-head self-attention (Vaswani et al. 2017)",
                                       .part = "self_attention",
                                       .takes_steps = true,
                                       .leaves_out_keys = true,
                                       .has_attention = true,
                                       .construct = construct_mixer<SelfAttention>};

}  // namespace headwater
