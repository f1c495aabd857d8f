#include "layers/transformer_block.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace headwater {

namespace {

RecurrentMixingSettings recurrent_settings(const BlockSettings& settings) {
  using kernels::Cell;
  const Cell gru = settings.mixing.reset_after ? Cell::gru : Cell::gru_reset_before;
  return {.cell = settings.mixing.mixing == "gru" ? gru : Cell::lstm,
          .is_bidirectional = settings.mixing.bidirectional,
          .inputs = settings.inputs,
          .gives_last = settings.gives_last};
}

// The places of two texts have nothing to do with each other.
AttentionLayerSettings without_places(AttentionLayerSettings settings) {
  settings.rotary = nullptr;
  settings.window = 0;
  return settings;
}

// A layer where it is wanted.
template <class Layer, class... Arguments>
std::optional<Layer> layer_if(bool is_wanted, Arguments&&... arguments) {
  if (!is_wanted) return std::nullopt;
  return std::optional<Layer>(std::in_place, std::forward<Arguments>(arguments)...);
}

}  // namespace

FeedForward::FeedForward(LayerBuilder& builder, const std::string& name, const BlockSettings& settings)
    : inner_(builder, name + ".inner", settings.attention.width, settings.feed_forward_width,
             settings.activation),
      outer_(builder, name + ".outer", settings.feed_forward_width, settings.attention.width,
             settings.has_second_activation ? settings.activation : ops::Activation::none),
      inner_dropout_(layer_if<Dropout>(settings.feed_forward_dropout > 0, name + ".inner",
                                       settings.feed_forward_dropout)),
      outer_dropout_(layer_if<Dropout>(settings.feed_forward_dropout > 0, name + ".outer",
                                       settings.feed_forward_dropout)) {}

Variable FeedForward::operator()(const ForwardContext& context, const Variable& x) const {
  const Variable inner = inner_(context, x);
  if (!inner_dropout_) return outer_(context, inner, ops::Use::donate);
  return (*outer_dropout_)(context, outer_(context, (*inner_dropout_)(context, inner)));
}

void copy_slot(const BlockCache& cache, Index from, Index to, Index length) {
  if (cache.mixer) return cache.mixer->copy_slot(from, to, length);
  std::copy_n(cache.states.row(from), cache.states.cols, cache.states.row(to));
}

TransformerBlock::TransformerBlock(LayerBuilder& builder, const std::string& name,
                                   const BlockSettings& settings)
    : settings_(settings),
      kind_(find_mixer(settings.mixing.mixing)),
      mixer_(kind_ ? kind_->make(builder, name, settings) : nullptr),
      recurrent_(layer_if<RecurrentMixing>(settings.mixing.is_recurrent(), builder, name + ".recurrent",
                                           recurrent_settings(settings), settings.attention.width)),
      recurrent_dropout_(name + ".recurrent", settings.dropout),
      additive_attention_(layer_if<AdditiveAttention>(recurrent_ && settings.has_cross_attention, builder,
                                                      name + ".cross_attention", settings.attention.width)) {
  if (recurrent_) return;
  mixing_residual_.emplace(builder, name + (kind_->has_attention ? ".self_attention_norm" : ".mixing_norm"),
                           settings);
  if (settings.has_cross_attention) {
    cross_attention_.emplace(builder, name + ".cross_attention", without_places(settings.attention));
    cross_residual_.emplace(builder, name + ".cross_attention_norm", settings);
  }
  feed_forward_.emplace(builder, name + ".feed_forward", settings);
  feed_forward_residual_.emplace(builder, name + ".feed_forward_norm", settings);
}

template <class Mix, class Attend>
Variable TransformerBlock::run(const ForwardContext& context, const Variable& x, const Mix& mix,
                               const Attend& attend) const {
  Variable z = (*mixing_residual_)(context, x, mix);
  if (cross_residual_) z = (*cross_residual_)(context, z, attend);
  return (*feed_forward_residual_)(context, z,
                                   [&](const Variable& input) { return (*feed_forward_)(context, input); });
}

MixerOutput TransformerBlock::operator()(const ForwardContext& context, const Variable& x,
                                         const MixerSources& sources) const {
  if (recurrent_) return recurrent(context, x, sources, {});
  MixerOutput out;
  out.hidden = run(
      context, x, [&](const Variable& input) { return (out = (*mixer_)(context, input, sources)).hidden; },
      [&](const Variable& input) {
        out.cross = (*cross_attention_)(context, input, sources.memory, Causality::full);
        return out.cross.output;
      });
  return out;
}

MixerOutput TransformerBlock::recurrent(const ForwardContext& context, const Variable& x,
                                        const MixerSources& sources, const Matrix& final) const {
  const RecurrentMixing::Output read = (*recurrent_)(context, x, sources.initial, final);
  MixerOutput out{.hidden = read.hidden, .last = read.last};
  if (additive_attention_) {
    const AdditiveAttention::Output found = (*additive_attention_)(context, read.hidden, sources.memory);
    out.cross = {.output = found.output,
                 .queries = read.hidden,
                 .keys = sources.memory,
                 .values = sources.memory,
                 .weights = found.weights};
    out.hidden = found.output;
  }
  out.hidden = recurrent_dropout_(context, out.hidden);
  return out;
}

BlockCache TransformerBlock::new_cache(Arena& arena, Index slots, Index capacity) const {
  if (mixer_) return {.mixer = mixer_->new_cache(arena, slots, capacity)};
  const Matrix states = arena.matrix(slots, recurrent_->forward().state_size());
  kernels::fill(states, 0);
  return {.mixer = nullptr, .states = states};
}

void TransformerBlock::begin(const BlockCache& cache, Index slot, const Real* state) const {
  if (!recurrent_) return;
  if (state != nullptr) {
    std::copy_n(state, cache.states.cols, cache.states.row(slot));
  } else {
    std::fill_n(cache.states.row(slot), cache.states.cols, Real(0));
  }
}

Variable TransformerBlock::read(const ForwardContext& context, const Variable& x, const MixerSources& sources,
                                const BlockCache& cache, const CacheRows& rows) const {
  if (recurrent_) {
    const std::span<const Index> offsets = x.packing().offsets;
    const Matrix final = context.tape.arena().matrix(x.packing().sequences(), cache.states.cols);
    const Variable hidden = recurrent(context, x, sources, final).hidden;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      if (offsets[s] < offsets[s + 1])
        begin(cache, rows.slots[static_cast<std::size_t>(offsets[s])], final.row(static_cast<Index>(s)));
    }
    return hidden;
  }
  return run(
      context, x, [&](const Variable& input) { return cache.mixer->read(context, input, sources, rows); },
      [&](const Variable& input) {
        return (*cross_attention_)(context, input, sources.memory, Causality::full).output;
      });
}

void TransformerBlock::remember(const ForwardContext& context, const Variable& memory,
                                std::span<const Index> offsets, BlockCache& cache) const {
  if (additive_attention_) cache.additive_memory = additive_attention_->remember(context, memory, offsets);
  if (!cross_attention_) return;
  std::vector<Index> slot_of, position_of;
  Index longest = 0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const Index length = offsets[s + 1] - offsets[s];
    longest = std::max(longest, length);
    for (Index position = 0; position < length; ++position) {
      slot_of.push_back(static_cast<Index>(s));
      position_of.push_back(position);
    }
  }
  cache.memory =
      cross_attention_->new_cache(context.tape.arena(), static_cast<Index>(offsets.size()) - 1, longest);
  cross_attention_->append(context, memory, cache.memory, {slot_of, position_of});
}

Variable TransformerBlock::step(const ForwardContext& context, const Variable& x, const BlockCache& cache,
                                const CachedStep& at) const {
  if (recurrent_) {
    const Variable state = recurrent_->forward().step(context, x, cache.states, at.self.slots);
    return additive_attention_
               ? additive_attention_->step(context, state, cache.additive_memory, at.memory.slots)
               : state;
  }
  return run(
      context, x, [&](const Variable& input) { return cache.mixer->step(context, input, at); },
      [&](const Variable& input) {
        return cross_attention_->attend_cached(context, input, cache.memory, at.memory);
      });
}

double TransformerBlock::mixing_flops(Index length) const {
  if (mixer_) return mixer_->flops(length);
  const double n = static_cast<double>(length), d = static_cast<double>(settings_.attention.width);
  const RecurrentMixingSettings recurrent =
      recurrent_settings(settings_);  // of the token and of the state before
  const double layers = recurrent.is_bidirectional ? 2 : 1,
               inputs = recurrent.inputs > 0 ? static_cast<double>(recurrent.inputs) : d,
               additive = additive_attention_ ? 2 * n * d * (4 * d + 3 * n) : 0;
  return layers * 2 * n * (inputs + d) * d * static_cast<double>(kernels::gates_of(recurrent.cell)) +
         additive;
}

double TransformerBlock::flops(Index length) const {
  double sum = mixing_flops(length);
  if (cross_attention_) sum += attention_flops(cross_attention_->settings(), length, Causality::full);
  if (!feed_forward_) return sum;
  return sum + 2 * 2 * static_cast<double>(length * settings_.attention.width * settings_.feed_forward_width);
}

}  // namespace headwater
