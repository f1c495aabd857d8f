#include "layers/transformer_stack.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace headwater {

namespace {

// The places of two texts have nothing to do with each other.
AttentionLayerSettings without_places(AttentionLayerSettings settings) {
  settings.rotary = nullptr;
  settings.window = 0;
  return settings;
}

}  // namespace

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
  return feed_forward_ ? sum + feed_forward_->flops(length) : sum;
}

TransformerStack::TransformerStack(LayerBuilder& builder, const std::string& name,
                                   const BlockSettings& settings, Index layers)
    : name_(name) {
  BlockSettings block = settings;
  for (Index i = 0; i < layers; ++i) {
    block.gives_last = settings.gives_last && i + 1 == layers;
    blocks_.emplace_back(builder, name + "." + std::to_string(i), block);
    block.inputs = 0;  // it reads the block before
  }
  const bool has_norms = settings.is_pre_norm() && !settings.mixing.is_recurrent();
  if (has_norms && settings.has_final_norm && layers > 0)
    norm_.emplace(builder, name + ".norm", settings.attention.width, settings);
}

Variable TransformerStack::run_blocks(const ForwardContext& context, Variable x, const MixerSources& sources,
                                      std::vector<AttentionTrace>* traces, Variable* last) const {
  Index layer = 0;
  for (const TransformerBlock& block : blocks_) {
    const MixerOutput out = block(context, x, sources);
    x = out.hidden;
    if (last != nullptr) *last = out.last;
    const bool is_causal = block.settings().causality == Causality::causal;
    if (traces && out.self.output)
      traces->push_back({is_causal ? AttentionKind::decoder : AttentionKind::encoder, layer, out.self});
    if (traces && out.cross.output) traces->push_back({AttentionKind::cross, layer, out.cross});
    ++layer;
  }
  return x;
}

Variable TransformerStack::states(const ForwardContext& context, const Variable& x, Index layers,
                                  const MixerSources& sources) const {
  const std::size_t count = layers;
  if (count == blocks_.size()) return (*this)(context, x, sources);
  Variable y = x;
  for (const TransformerBlock& block : std::span(blocks_).first(count)) y = block(context, y, sources).hidden;
  return y;
}

void TransformerStack::summarize(const Parameters& parameters, const std::string& shape, Index length,
                                 std::vector<LayerSummary>& rows) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::string name = name_ + "." + std::to_string(i);
    const TransformerBlock& block = blocks_[i];
    rows.push_back(layer_summary(parameters, name, shape, block.flops(length), length));
    if (!block.mixer().multiplies_columns) continue;
    const std::string part = name + "." + std::string(block.mixer().part) + ".";
    for (TensorSummary& tensor : rows.back().tensors) {
      if (tensor.name.starts_with(part))
        tensor.flops = tensor.flops / static_cast<double>(length) *
                       static_cast<double>(block.settings().attention.width);
    }
  }
  if (norm_) rows.push_back(layer_summary(parameters, name_ + ".norm", shape, 0, 0));
}

LayerSummary layer_summary(const Parameters& parameters, const std::string& name, std::string output_shape,
                           double flops, Index rows) {
  LayerSummary layer{name, std::move(output_shape), 0, flops};
  for (const auto& p : parameters.all()) {
    if (!p->name.starts_with(name + ".")) continue;
    const bool is_matrix = p->name.ends_with(".weight") && p->shape.size() > 1;
    layer.parameters += p->size();
    layer.tensors.push_back({p->name,
                             {p->shape.begin(), p->shape.end()},
                             p->size(),
                             is_matrix ? 2 * static_cast<double>(p->size()) * static_cast<double>(rows) : 0});
  }
  return layer;
}

}  // namespace headwater
