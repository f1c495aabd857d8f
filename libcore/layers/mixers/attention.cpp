#include "layers/mixers/attention.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "layers/mixers/mixer.hpp"
#include "support/math_functions.hpp"

namespace headwater {

namespace {

// The kernel is saved as [D, H, K], and its fans are those that Keras takes: of a convolution. Or they are
// the inputs and outputs of the map.
Linear projection(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& s) {
  const double d = static_cast<double>(s.width), h = static_cast<double>(s.heads),
               k = static_cast<double>(s.head_width);
  return Linear(builder, name, {s.width, s.heads, s.head_width}, {s.heads, s.head_width}, s.width,
                s.heads * s.head_width, s.has_dense_fans ? d : d * h, s.has_dense_fans ? h * k : d * k);
}

// Saved as [H, K, D].
Linear output_projection(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& s) {
  const double d = static_cast<double>(s.width), h = static_cast<double>(s.heads),
               k = static_cast<double>(s.head_width);
  return Linear(builder, name, {s.heads, s.head_width, s.width}, {s.width}, s.heads * s.head_width, s.width,
                h * k, s.has_dense_fans ? d : h * d);
}

}  // namespace

void head_weights(const AttentionOutput& attention, const kernels::AttentionShape& shape, Index sequence,
                  Index head, Matrix weights) {
  if (!attention.weights) {
    kernels::attention_weights(attention.queries.value(), attention.keys.value(), shape, sequence, head,
                               weights);
    return;
  }
  const Index first = shape.query_offsets[sequence];
  for (Index i = 0; i < weights.rows; ++i)
    std::copy_n(attention.weights.row(first + i), weights.cols, weights.row(i));
}

// A window of W leaves a query at most 2W - 1 keys, W of a causal one.
static Index seen_keys(const AttentionLayerSettings& settings, Index length, Causality causality) {
  const Index W = settings.window, seen = causality == Causality::causal ? W : 2 * W - 1;
  return W > 0 ? std::min(length, seen) : length;
}

double weighting_flops(const AttentionLayerSettings& settings, Index length, Causality causality) {
  return 2 * 2 * static_cast<double>(length * settings.heads * settings.head_width) *
         static_cast<double>(seen_keys(settings, length, causality));
}

double attention_flops(const AttentionLayerSettings& settings, Index length, Causality causality) {
  return 2 * 2 * static_cast<double>(length * settings.heads * settings.head_width) *
         static_cast<double>(2 * settings.width + seen_keys(settings, length, causality));
}

ops::AttentionSettings attention_op_settings(const ForwardContext& context,
                                             const AttentionLayerSettings& settings, Causality causality,
                                             std::uint32_t random_layer) {
  return {.heads = settings.heads,
          .is_causal = causality == Causality::causal,
          .window = settings.window,
          .dropout = context.tape.is_recording() ? static_cast<Real>(settings.dropout) : Real(0),
          .stream = context.stream(Purpose::attention_dropout, random_layer)};
}

kernels::AttentionCache new_attention_cache(const AttentionLayerSettings& settings, Arena& arena, Index slots,
                                            Index capacity) {
  kernels::AttentionCache cache;
  cache.heads = settings.heads;
  cache.head_width = settings.head_width;
  cache.window = settings.window;
  cache.capacity = kernels::cache_capacity(capacity, settings.window);
  cache.keys = arena.allocate_array<Real>(cache.key_floats(slots));
  cache.values = arena.allocate_array<Real>(cache.value_floats(slots));
  return cache;
}

Variable weigh_cached(const ForwardContext& context, ConstMatrix queries,
                      const kernels::AttentionCache& cache, const CacheView& view) {
  const Variable mixed = context.tape.variable(queries.rows, queries.cols, nullptr, false);
  const Real scale = Real(1) / std::sqrt(static_cast<Real>(cache.head_width));
  kernels::attention_over_cache(queries, cache, view.slots, view.lengths, scale, mixed.value());
  return mixed;
}

MultiHeadAttention::MultiHeadAttention(LayerBuilder& builder, const std::string& name,
                                       const AttentionLayerSettings& settings)
    : settings_(settings),
      to_query_(projection(builder, name + ".query", settings)),
      to_key_(projection(builder, name + ".key", settings)),
      to_value_(projection(builder, name + ".value", settings)),
      to_output_(output_projection(builder, name + ".output", settings)),
      random_layer_(random_layer(name)) {}

ops::Projected MultiHeadAttention::projected(const ForwardContext& context, const Variable& queries,
                                             const Variable& memory) const {
  ops::Projected all;
  if (queries == memory) {
    all = project(context, queries, {&to_query_, &to_key_, &to_value_});
  } else {
    const auto [k, v, none] = project(context, memory, {&to_key_, &to_value_});
    all = {to_query_(context, queries), k, v};
  }
  if (settings_.rotary) {
    for (const std::size_t i : {0, 1})
      all[i] = ops::rotate(context.tape, all[i], settings_.rotary->view(), ops::Use::donate);
  }
  return all;
}

AttentionOutput MultiHeadAttention::operator()(const ForwardContext& context, const Variable& queries,
                                               const Variable& memory, Causality causality) const {
  const auto [q, k, v] = projected(context, queries, memory);
  const Variable mixed =
      ops::attention(context.tape, q, k, v,
                     attention_op_settings(context, settings_, causality, random_layer_));  // [Tq, H·K]
  return {to_output_(context, mixed), q, k, v, causality, settings_.window};
}

void MultiHeadAttention::append(const ForwardContext& context, const Variable& memory,
                                const kernels::AttentionCache& cache, const CacheRows& rows) const {
  Arena& arena = context.tape.arena();
  const ArenaScope scope(arena);
  const Matrix keys = arena.matrix(memory.rows(), inner_width()),
               values = arena.matrix(memory.rows(), inner_width());
  to_key_(context, memory.value(), keys);
  to_value_(context, memory.value(), values);
  kernels::append_to_cache(cache, rows.slots, rows.positions, keys, values);
}

Variable MultiHeadAttention::attend_cached(const ForwardContext& context, const Variable& queries,
                                           const kernels::AttentionCache& cache,
                                           const CacheView& view) const {
  const Variable q = to_query_(context, queries);
  return to_output_(context, weigh_cached(context, q.value(), cache, view));
}

Variable MultiHeadAttention::step(const ForwardContext& context, const Variable& tokens,
                                  const kernels::AttentionCache& cache, std::span<const Index> positions,
                                  const CacheView& view) const {
  Arena& arena = context.tape.arena();
  const Variable q = context.tape.variable(tokens.rows(), inner_width(), nullptr, false);
  const Matrix keys = arena.matrix(tokens.rows(), inner_width()),
               values = arena.matrix(tokens.rows(), inner_width());
  if (context.packed == nullptr) {
    to_query_(context, tokens.value(), q.value());
    to_key_(context, tokens.value(), keys);
    to_value_(context, tokens.value(), values);
  } else {
    const kernels::PackedProduct products[] = {to_query_.product(context, q.value()),
                                               to_key_.product(context, keys),
                                               to_value_.product(context, values)};
    kernels::linear_packed(tokens.value(), products);
  }
  if (settings_.rotary) {
    for (const Matrix& turned : {q.value(), keys})
      kernels::rotate(turned, positions, settings_.rotary->view(), kernels::Turn::forth, turned, false);
  }
  kernels::append_to_cache(cache, view.slots, positions, keys, values);
  return to_output_(context, weigh_cached(context, q.value(), cache, view));
}

RotaryTable::RotaryTable(Index length, Index head_width)
    : length_(length), head_width_(head_width), values_(static_cast<std::size_t>(length * head_width)) {
  const Index half = head_width / 2;
  Real* to = values_.data();
  for (Index p = 0; p < length; ++p, to += head_width) {
    for (Index i = 0; i < half; ++i) {
      const double angle = static_cast<double>(p) / power_of_ten_thousand(static_cast<double>(2 * i) /
                                                                          static_cast<double>(head_width));
      to[i] = static_cast<Real>(cosine(angle));
      to[i + half] = static_cast<Real>(sine(angle));
    }
  }
}

// --- The mixers of attention -------------------------------------------------------------------------------

namespace {

// Continues sequences by attention: keeps the keys and values of all tokens that a window leaves.
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

// mixing: attention. Multi-head attention of the tokens to each other (Vaswani et al. 2017, sec. 3.2.2).
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

namespace {

// mixing: plain_attention. Attention without parameters, with which textbooks begin: the tokens are queries,
// keys and values at once. Heads share the features, K = D/H of each: y_h = softmax(x_h·x_hᵀ/sqrt(K))·x_h.
// Rotary positions turn the tokens as queries and keys, not as values.
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
