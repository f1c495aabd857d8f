// mixing: attention. Multi-head attention of the tokens to each other (Vaswani et al. 2017, sec. 3.2.2).
#include <algorithm>

#include "layers/mixers/mixer.hpp"

namespace headwater {

namespace {

class SelfAttention : public Mixer {
 public:
  SelfAttention(LayerBuilder& builder, const std::string& block, const MixerSettings& settings)
      : attention_(builder, block + ".self_attention", settings.attention), causality_(settings.causality) {}

  MixerOutput operator()(const ForwardContext& context, const Variable& x,
                         const MixerSources& sources) const override {
    const KeyTokens* const keys = sources.keys;
    const Variable memory = keys ? ops::take_rows(context.tape, x, keys->tokens, keys->packing) : x;
    const AttentionOutput self = attention_(context, x, memory, causality_);
    return {.hidden = self.output, .self = self};
  }
  std::unique_ptr<MixerCache> new_cache(Arena& arena, Index slots, Index capacity) const override {
    return std::make_unique<Cache>(*this, attention_.new_cache(arena, slots, capacity));
  }
  double flops(Index length) const override {
    return attention_flops(attention_.settings(), length, causality_);
  }

 private:
  // Keys and values of all tokens that a window leaves.
  class Cache : public MixerCache {
   public:
    Cache(const SelfAttention& mixer, const kernels::AttentionCache& cache) : mixer_(mixer), cache_(cache) {}

    Variable read(const ForwardContext& context, const Variable& x, const MixerSources& sources,
                  const CacheRows& rows) override {
      const AttentionOutput self = mixer_(context, x, sources).self;
      kernels::append_to_cache(cache_, rows.slots, rows.positions, self.keys.value(), self.values.value());
      return self.output;
    }
    Variable step(const ForwardContext& context, const Variable& x, const CachedStep& at) override {
      return mixer_.attention_.step(context, x, cache_, at.positions, at.self);
    }
    void copy_slot(Index from, Index to, Index length) override {
      const Index held = cache_.held(length), panel = 16 * cache_.head_width, keys = (held + 15) / 16 * panel,
                  values = held * cache_.value_width();
      for (Index head = 0; head < cache_.heads; ++head) {
        std::copy_n(cache_.keys_of(from, head), keys, cache_.keys_of(to, head));
        std::copy_n(cache_.values_of(from, head), values, cache_.values_of(to, head));
      }
    }

   private:
    const SelfAttention& mixer_;
    kernels::AttentionCache cache_;
  };

  MultiHeadAttention attention_;
  Causality causality_;
};

}  // namespace

const MixerKind kAttentionMixer{.name = "attention",
                                .meaning = "multi-head self-attention (Vaswani et al. 2017)",
                                .part = "self_attention",
                                .takes_steps = true,
                                .leaves_out_keys = true,
                                .has_attention = true,
                                .make = make_mixer<SelfAttention>};

}  // namespace headwater
