#include "models/classifier.hpp"

#include "models/packing.hpp"

namespace headwater {

Classifier::Classifier(const ClassifierSettings& settings, Index vocabulary)
    : settings_(settings),
      vocabulary_(vocabulary),
      builder_{parameters_},
      encoder_(builder_, settings, vocabulary),
      output_dropout_("output", settings.transformer.output_dropout),
      head_(builder_, "head", settings.head, settings.transformer.width) {
  if (settings.pooler) {
    pooler_.emplace(builder_, "pooler", encoder_.width(), encoder_.width(),
                    settings.pooler_activation == "relu" ? ops::Activation::relu : ops::Activation::tanh);
  }
  set_initialization(parameters_, settings.transformer.initialization);
}

Variable Classifier::features(const ForwardContext& context, const ClassBatch& batch,
                              std::vector<AttentionTrace>* traces) const {
  const Variable hidden = encoder_(context, batch.source, batch.segment_of, batch.words, traces);
  const Variable pooled =
      ops::pool(context.tape, hidden, pooling_of(settings_.pooling), pack(context.tape, batch.rows));
  return output_dropout_(context, pooled_features(context, pooled));
}

std::vector<LayerSummary> Classifier::summary() const {
  const std::string width = std::to_string(this->width());
  std::vector<LayerSummary> rows;
  encoder_.summarize(parameters_, rows);
  rows.push_back({"pooling", "[" + width + "]", 0, 0});
  if (pooler_) {
    rows.push_back(layer_summary(parameters_, "pooler", "[" + width + "]",
                                 2.0 * static_cast<double>(this->width() * this->width()), 1));
  }
  rows.push_back(layer_summary(parameters_, "head", "[" + std::to_string(head_.outputs()) + "]",
                               2.0 * static_cast<double>(this->width() * head_.outputs()), 1));
  return rows;
}

}  // namespace headwater
