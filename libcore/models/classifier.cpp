#include "models/classifier.hpp"

#include "models/packing.hpp"

namespace headwater {

namespace {

ops::Pooling pooling_of(const ClassifierSettings& settings) {
  if (settings.pooling == "mean") return ops::Pooling::mean;
  return settings.pooling == "first" ? ops::Pooling::first : ops::Pooling::max;
}

}  // namespace

Classifier::Classifier(const ClassifierSettings& settings, Index vocabulary)
    : settings_(settings),
      vocabulary_(vocabulary),
      builder_{parameters_},
      embedding_(builder_, "embedding", embedding_settings(settings.transformer, vocabulary)),
      embedding_dropout_("embedding", settings.transformer.dropout),
      output_dropout_("output", settings.transformer.output_dropout),
      head_(builder_, "head", settings.head, settings.transformer.width),
      encoder_(builder_, "encoder", block_settings(settings.transformer, settings.mixing),
               settings.encoder_layers) {
  set_initialization(parameters_, settings.transformer.initialization);
}

Index Classifier::padded_length(Index words) const {
  const bool is_filled = settings_.padding == "attended" || (settings_.padding == "pooled" && words > 0);
  return is_filled ? settings_.transformer.length : 0;
}

Variable Classifier::encode(const ForwardContext& context, const ClassBatch& batch,
                            std::vector<AttentionTrace>* traces) const {
  const PackedTokens& source = batch.source;
  const Variable x = embedding_dropout_(
      context, embedding_(context, pack(context.tape, source), source.ids, source.position_of));
  if (settings_.padding != "pooled") return encoder_(context, x, {}, traces);
  const KeyTokens words{batch.words.tokens, pack(context.tape, batch.words)};
  return encoder_(context, x, {.keys = &words}, traces);
}

Variable Classifier::features(const ForwardContext& context, const ClassBatch& batch,
                              std::vector<AttentionTrace>* traces) const {
  const Variable hidden = encode(context, batch, traces);
  return output_dropout_(
      context, ops::pool(context.tape, hidden, pooling_of(settings_), pack(context.tape, batch.rows)));
}

std::vector<LayerSummary> Classifier::summary() const {
  const std::string width = std::to_string(this->width());
  std::vector<LayerSummary> rows;
  rows.push_back({"embedding", "[S, " + width + "]", parameters_of(parameters_, "embedding."), 0});
  encoder_.summarize(parameters_, "[S, " + width + "]", settings_.transformer.length, rows);
  rows.push_back({"pooling", "[" + width + "]", 0, 0});
  rows.push_back({"head", "[" + std::to_string(head_.outputs()) + "]", parameters_of(parameters_, "head."),
                  2.0 * static_cast<double>(this->width() * head_.outputs())});
  return rows;
}

}  // namespace headwater
