// A mixer that continues sequences by attention: it keeps the keys and values of all tokens that a window
// leaves.
#pragma once

#include <algorithm>
#include <memory>

#include "layers/mixers/mixer.hpp"

namespace headwater {

class AttentionMixer : public Mixer {
 public:
  explicit AttentionMixer(const MixerSettings& settings)
      : settings_(settings.attention), causality_(settings.causality) {}

  std::unique_ptr<MixerCache> new_cache(Arena& arena, Index slots, Index capacity) const final {
    return std::make_unique<Cache>(*this, new_attention_cache(settings_, arena, slots, capacity));
  }

 protected:
  // One new token of each sequence, x [B, D] -> [B, D], whose key and value it appends.
  virtual Variable step(const ForwardContext& context, const Variable& x,
                        const kernels::AttentionCache& cache, const CachedStep& at) const = 0;
  const AttentionLayerSettings& settings() const { return settings_; }
  Causality causality() const { return causality_; }

 private:
  class Cache : public MixerCache {
   public:
    Cache(const AttentionMixer& mixer, const kernels::AttentionCache& cache) : mixer_(mixer), cache_(cache) {}

    Variable read(const ForwardContext& context, const Variable& x, const MixerSources& sources,
                  const CacheRows& rows) override {
      const AttentionOutput self = mixer_(context, x, sources).self;
      kernels::append_to_cache(cache_, rows.slots, rows.positions, self.keys.value(), self.values.value());
      return self.output;
    }
    Variable step(const ForwardContext& context, const Variable& x, const CachedStep& at) override {
      return mixer_.step(context, x, cache_, at);
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
    const AttentionMixer& mixer_;
    kernels::AttentionCache cache_;
  };

  AttentionLayerSettings settings_;
  Causality causality_;
};

}  // namespace headwater
