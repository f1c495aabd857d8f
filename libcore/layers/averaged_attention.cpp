#include "layers/averaged_attention.hpp"

#include "support/error.hpp"

namespace headwater {

static Linear head_layers(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& s,
                          ops::Activation activation) {
  const double d = static_cast<double>(s.width);
  return Linear(builder, name, {s.width, s.heads, s.head_width}, {s.heads, s.head_width}, s.width,
                s.heads * s.head_width, d, d, activation);
}

static const AttentionLayerSettings& of_whole_width(const AttentionLayerSettings& settings) {
  if (settings.head_width == settings.width) return settings;
  throw UsageError("model: averaged_attention has heads as wide as the model, " +
                   std::to_string(settings.width) + ", not " + std::to_string(settings.head_width) +
                   " (set head_width to the width)");
}

AveragedAttention::AveragedAttention(LayerBuilder& builder, const std::string& name,
                                     const AttentionLayerSettings& settings, ops::Activation activation)
    : settings_(of_whole_width(settings)),
      to_query_(head_layers(builder, name + ".query", settings, activation)),
      to_key_(head_layers(builder, name + ".key", settings, activation)),
      random_layer_(random_layer(name)) {}

AttentionOutput AveragedAttention::operator()(const ForwardContext& context, const Variable& x,
                                              Causality causality) const {
  Tape& tape = context.tape;
  const Variable q = to_query_(context, x), k = to_key_(context, x),
                 v = ops::repeat_heads(tape, x, settings_.heads);
  const Variable mixed =
      ops::attention(tape, q, k, v,
                     {.heads = settings_.heads,
                      .is_causal = causality == Causality::causal,
                      .dropout = tape.is_recording() ? static_cast<Real>(settings_.dropout) : Real(0),
                      .stream = context.stream(Purpose::attention_dropout, random_layer_)});  // [T, H·D]
  return {ops::mean_heads(tape, mixed, settings_.heads), q, k, v, causality};
}

}  // namespace headwater
