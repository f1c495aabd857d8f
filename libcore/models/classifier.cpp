#include "models/classifier.hpp"

#include <cmath>

#include "models/encoder_decoder.hpp"
#include "models/settings.hpp"

namespace headwater {

namespace {

ops::Pooling pooling_of(const ModelSettings& settings) {
  if (settings.pooling == "mean") return ops::Pooling::mean;
  return settings.pooling == "first" ? ops::Pooling::first : ops::Pooling::max;
}

// Multiplications and additions of what mixes n tokens.
double mixing_flops(const ModelSettings& settings, const BlockSettings& block) {
  const double n = static_cast<double>(settings.length), d = static_cast<double>(settings.width);
  if (block.mixing == Mixing::mlp) return 2 * 2 * n * static_cast<double>(block.mixing_width) * d;
  if (block.mixing == Mixing::fourier) return 5 * n * d * std::log2(n * d) / 2;  // of real numbers
  const double inner = static_cast<double>(block.attention.heads * block.attention.head_width);
  return 2 * 4 * n * d * inner + 2 * 2 * n * n * inner;  // four projections, scores and values
}

}  // namespace

Classifier::Classifier(const ModelSettings& settings, Index vocabulary)
    : settings_(settings),
      vocabulary_(vocabulary),
      builder_{parameters_},
      embedding_(builder_, "embedding", embedding_settings(settings, vocabulary)),
      embedding_dropout_(builder_, settings.dropout),
      output_dropout_(builder_, settings.output_dropout),
      head_(builder_, "head", settings, settings.width) {
  const BlockSettings block = block_settings(settings);
  for (Index i = 0; i < settings.encoder_layers; ++i)
    encoder_.emplace_back(builder_, "encoder." + std::to_string(i), block);
  if (block.norm_place == NormPlace::pre && !encoder_.empty()) {
    encoder_norm_ =
        std::make_unique<LayerNorm>(builder_, "encoder.norm", settings.width, settings.norm_epsilon);
  }
}

Variable Classifier::encode(const StepContext& context, const PackedTokens& source,
                            std::vector<AttentionTrace>* traces) const {
  const Packing& packing = pack(context.tape, source);
  Variable x = embedding_dropout_(context, embedding_(context, packing, source.ids, source.position_of));
  Index layer = 0;
  for (const EncoderBlock& block : encoder_) {
    const EncoderBlockOutput out = block(context, x, Causality::full);
    x = out.hidden;
    if (traces && out.self.output) traces->push_back({AttentionKind::encoder, layer, out.self});
    ++layer;
  }
  return encoder_norm_ ? (*encoder_norm_)(context, x) : x;
}

Variable Classifier::features(const StepContext& context, const ClassBatch& batch,
                              std::vector<AttentionTrace>* traces) const {
  const Variable hidden = encode(context, batch.source, traces);
  return output_dropout_(
      context, ops::pool(context.tape, hidden, pooling_of(settings_), pack(context.tape, batch.rows)));
}

std::vector<LayerSummary> Classifier::summary() const {
  const BlockSettings block = block_settings(settings_);
  const double n = static_cast<double>(settings_.length), d = static_cast<double>(settings_.width);
  const double feed_forward = 2 * 2 * n * d * static_cast<double>(settings_.feed_forward_width);
  const std::string width = std::to_string(settings_.width);
  std::vector<LayerSummary> rows;
  rows.push_back({"embedding", "[S, " + width + "]", parameters_of(parameters_, "embedding."), 0});
  for (std::size_t i = 0; i < encoder_.size(); ++i) {
    const std::string name = "encoder." + std::to_string(i);
    rows.push_back({name, "[S, " + width + "]", parameters_of(parameters_, name + "."),
                    mixing_flops(settings_, block) + feed_forward});
  }
  if (encoder_norm_)
    rows.push_back({"encoder.norm", "[S, " + width + "]", parameters_of(parameters_, "encoder.norm."), 0});
  rows.push_back({"pooling", "[" + width + "]", 0, 0});
  rows.push_back({"head", "[" + std::to_string(head_.outputs()) + "]", parameters_of(parameters_, "head."),
                  2 * d * static_cast<double>(head_.outputs())});
  return rows;
}

}  // namespace headwater
