#include "models/text_embedder.hpp"

#include <algorithm>

namespace headwater {

TextEmbedder::TextEmbedder(const TextEmbedderSettings& settings, Index vocabulary)
    : settings_(settings),
      vocabulary_(vocabulary),
      builder_{parameters_},
      encoder_(builder_, settings, vocabulary) {
  const Index width = encoder_.width();
  if (settings.pooler) pooler_.emplace(builder_, "pooler", width, width, ops::Activation::tanh);
  set_initialization(parameters_, settings.transformer.initialization);
}

Index TextEmbedder::length() const {
  const Index positions = settings_.transformer.length;
  return settings_.max_tokens > 0 ? std::min(settings_.max_tokens, positions) : positions;
}

std::vector<LayerSummary> TextEmbedder::summary() const {
  const std::string width = std::to_string(encoder_.width());
  std::vector<LayerSummary> rows;
  encoder_.summarize(parameters_, rows);
  if (pooler_) rows.push_back(layer_summary(parameters_, "pooler", "[" + width + "]", 0, 0));
  rows.push_back({"pooling", "[" + width + "]", 0, 0});
  return rows;
}

}  // namespace headwater
