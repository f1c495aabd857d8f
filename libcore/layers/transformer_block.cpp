#include "layers/transformer_block.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace headwater {

namespace {

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

TransformerBlock::TransformerBlock(LayerBuilder& builder, const std::string& name,
                                   const BlockSettings& settings)
    : settings_(settings),
      kind_(&mixer_kind(settings.mixing.mixing)),
      mixer_(kind_->make(builder, name, settings)),
      mixer_dropout_(name + "." + std::string(kind_->part), settings.dropout) {
  if (kind_->is_recurrent) return;
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
  if (!mixing_residual_) return mixer_dropout_(context, mix(x));
  Variable z = (*mixing_residual_)(context, x, mix);
  if (cross_residual_) z = (*cross_residual_)(context, z, attend);
  return (*feed_forward_residual_)(context, z,
                                   [&](const Variable& input) { return (*feed_forward_)(context, input); });
}

MixerOutput TransformerBlock::operator()(const ForwardContext& context, const Variable& x,
                                         const MixerSources& sources) const {
  MixerOutput out;
  out.hidden = run(
      context, x, [&](const Variable& input) { return (out = (*mixer_)(context, input, sources)).hidden; },
      [&](const Variable& input) {
        out.cross = (*cross_attention_)(context, input, sources.memory, Causality::full);
        return out.cross.output;
      });
  return out;
}

Variable TransformerBlock::read(const ForwardContext& context, const Variable& x, const MixerSources& sources,
                                const BlockCache& cache, const CacheRows& rows) const {
  return run(
      context, x, [&](const Variable& input) { return cache.mixer->read(context, input, sources, rows); },
      [&](const Variable& input) {
        return (*cross_attention_)(context, input, sources.memory, Causality::full).output;
      });
}

void TransformerBlock::remember(const ForwardContext& context, const Variable& memory,
                                std::span<const Index> offsets, BlockCache& cache) const {
  cache.mixer->remember(context, memory, offsets);
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
  return run(
      context, x, [&](const Variable& input) { return cache.mixer->step(context, input, at); },
      [&](const Variable& input) {
        return cross_attention_->attend_cached(context, input, cache.memory, at.memory);
      });
}

double TransformerBlock::flops(Index length) const {
  double sum = mixer_->flops(length);
  if (cross_attention_) sum += attention_flops(cross_attention_->settings(), length, Causality::full);
  if (!feed_forward_) return sum;
  return sum + 2 * 2 * static_cast<double>(length * settings_.attention.width * settings_.feed_forward_width);
}

}  // namespace headwater
