#include "models/text_embedder.hpp"

#include <algorithm>
#include <cmath>

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

Index tokens_read(const TextEmbedderSettings& settings) {
  const Index positions = settings.transformer.length;
  return settings.max_tokens > 0 ? std::min(settings.max_tokens, positions) : positions;
}

void normalize_rows(Matrix rows) {
  for (Index r = 0; r < rows.rows; ++r) {
    Real* const row = rows.row(r);
    double squares = 0;
    for (Index c = 0; c < rows.cols; ++c)
      squares += static_cast<double>(row[c]) * static_cast<double>(row[c]);
    const double length = std::sqrt(squares);
    if (length == 0) continue;
    for (Index c = 0; c < rows.cols; ++c) row[c] = static_cast<Real>(static_cast<double>(row[c]) / length);
  }
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
