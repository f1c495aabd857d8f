// mixing: averaged_attention. Attention without a projection of values and without biases: each head weighs
// the tokens as they are, and the result is the mean over the heads. A head is as wide as the tokens. y = 1/H
// Σ_h softmax(Q_h·K_hᵀ/sqrt(D))·x·O_h, with Q_h = act(x·W_h) and K_h = act(x·W'_h).
#include "layers/mixers/mixer.hpp"

namespace headwater {

namespace {

// A layer for each head, side by side; each draws its first weights like a separate layer.
Linear head_layers(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& s,
                   ops::Activation activation) {
  const double d = static_cast<double>(s.width);
  return Linear(builder, name, {s.width, s.heads, s.head_width}, {}, s.width, s.heads * s.head_width, d, d,
                activation);
}

// The same, one below the other, so that their sum is one product.
Linear output_layers(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& s) {
  const double d = static_cast<double>(s.width);
  return Linear(builder, name, {s.heads, s.head_width, s.width}, {}, s.heads * s.head_width, s.width, d, d);
}

class AveragedAttention : public Mixer {
 public:
  // self_attention.query.weight and .key.weight [D, H, D], .output.weight [H, D, D]: Glorot uniform as of
  // H separate layers.
  AveragedAttention(LayerBuilder& builder, const std::string& block, const MixerSettings& settings)
      : settings_(settings.attention),
        causality_(settings.causality),
        to_query_(head_layers(builder, block + ".self_attention.query", settings_, settings.activation)),
        to_key_(head_layers(builder, block + ".self_attention.key", settings_, settings.activation)),
        to_output_(output_layers(builder, block + ".self_attention.output", settings_)),
        random_layer_(random_layer(block + ".self_attention")) {}

  MixerOutput operator()(const ForwardContext& context, const Variable& x,
                         const MixerSources& /*sources*/) const override {
    Tape& tape = context.tape;
    const Variable q = to_query_(context, x), k = to_key_(context, x),
                   v = ops::repeat_heads(tape, x, settings_.heads);
    const Variable mixed = ops::attention(
        tape, q, k, v, attention_op_settings(context, settings_, causality_, random_layer_));  // [T, H·D]
    const Real share = Real(1) / static_cast<Real>(settings_.heads);
    const Variable y = ops::scale(tape, to_output_(context, mixed), share, ops::Use::donate);
    return {.hidden = y, .self = {y, q, k, v, causality_, settings_.window}};
  }
  // Without the projection of values.
  double flops(Index length) const override {
    return attention_flops(settings_, length, causality_) -
           2 * static_cast<double>(length * settings_.heads * settings_.head_width) *
               static_cast<double>(settings_.width);
  }

 private:
  AttentionLayerSettings settings_;
  Causality causality_;
  Linear to_query_, to_key_, to_output_;
  std::uint32_t random_layer_;
};

}  // namespace

extern const MixerKind kAveragedAttentionMixer{
    .name = "averaged_attention",
    .meaning =
        "the mean over heads as wide as the model, of queries and keys that the activation follows, without "
        "projections of values and without biases",
    .part = "self_attention",
    .encodes_texts = false,
    .has_attention = true,
    .head_width = [](const AttentionLayerSettings& settings) { return settings.width; },
    .heads = "heads as wide as the model",
    .construct = construct_mixer<AveragedAttention>};

}  // namespace headwater
