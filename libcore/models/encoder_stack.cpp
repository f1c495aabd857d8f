#include "models/encoder_stack.hpp"

#include <cmath>

namespace headwater {

namespace {

double mixing_flops(const TransformerSettings& settings, const MixingSettings& mixing) {
  const BlockSettings block = block_settings(settings, mixing);
  const double n = static_cast<double>(settings.length), d = static_cast<double>(settings.width);
  if (block.mixing == Mixing::mlp) return 2 * 2 * n * static_cast<double>(block.mixing_width) * d;
  if (block.mixing == Mixing::fourier) return 5 * n * d * std::log2(n * d) / 2;  // of real numbers
  return attention_flops(settings);
}

}  // namespace

EncoderStack::EncoderStack(LayerBuilder& builder, const TransformerSettings& settings, Index layers,
                           const MixingSettings& mixing)
    : settings_(settings), mixing_(mixing) {
  const BlockSettings block = block_settings(settings, mixing);
  for (Index i = 0; i < layers; ++i) blocks_.emplace_back(builder, "encoder." + std::to_string(i), block);
  if (block.norm_place == NormPlace::pre && !blocks_.empty())
    norm_.emplace(builder, "encoder.norm", settings.width, settings.norm_epsilon);
}

Variable EncoderStack::operator()(const StepContext& context, Variable x, std::vector<AttentionTrace>* traces,
                                  const KeyTokens* keys) const {
  Index layer = 0;
  for (const EncoderBlock& block : blocks_) {
    const EncoderBlockOutput out = block(context, x, Causality::full, keys);
    x = out.hidden;
    if (traces && out.self.output) traces->push_back({AttentionKind::encoder, layer, out.self});
    ++layer;
  }
  return norm_ ? (*norm_)(context, x) : x;
}

void EncoderStack::summarize(const Parameters& parameters, std::vector<LayerSummary>& rows) const {
  const std::string shape = "[S, " + std::to_string(settings_.width) + "]";
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::string name = "encoder." + std::to_string(i);
    rows.push_back({name, shape, parameters_of(parameters, name + "."),
                    mixing_flops(settings_, mixing_) + feed_forward_flops(settings_)});
  }
  if (norm_) rows.push_back({"encoder.norm", shape, parameters_of(parameters, "encoder.norm."), 0});
}

double attention_flops(const TransformerSettings& settings) {
  const double n = static_cast<double>(settings.length), d = static_cast<double>(settings.width);
  const double inner = static_cast<double>(settings.heads * attention_settings(settings).head_width);
  return 2 * 4 * n * d * inner + 2 * 2 * n * n * inner;
}

double feed_forward_flops(const TransformerSettings& settings) {
  return 2 * 2 * static_cast<double>(settings.length) * static_cast<double>(settings.width) *
         static_cast<double>(settings.feed_forward_width);
}

}  // namespace headwater
