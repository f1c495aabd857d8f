#include "layers/averaged_attention.hpp"

#include "support/error.hpp"

namespace headwater {

// One layer a head, side by side, each drawn as a layer of its own.
static Linear head_layers(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& s,
                          ops::Activation activation) {
  const double d = static_cast<double>(s.width);
  return Linear(builder, name, {s.width, s.heads, s.head_width}, {}, s.width, s.heads * s.head_width, d, d,
                activation);
}

// The same, one below the other: their sum is one product.
static Linear output_layers(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& s) {
  const double d = static_cast<double>(s.width);
  return Linear(builder, name, {s.heads, s.head_width, s.width}, {}, s.heads * s.head_width, s.width, d, d);
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
      to_output_(output_layers(builder, name + ".output", settings)),
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
                      .window = settings_.window,
                      .dropout = tape.is_recording() ? static_cast<Real>(settings_.dropout) : Real(0),
                      .stream = context.stream(Purpose::attention_dropout, random_layer_)});  // [T, H·D]
  const Real share = Real(1) / static_cast<Real>(settings_.heads);
  return {ops::scale(tape, to_output_(context, mixed), share, ops::Use::donate),
          q,
          k,
          v,
          causality,
          settings_.window};
}

}  // namespace headwater
