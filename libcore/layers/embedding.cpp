#include "layers/embedding.hpp"

#include <algorithm>
#include <cmath>

#include "support/math_functions.hpp"

namespace headwater {

std::vector<Real> sinusoidal_positions(Index length, Index width, Positions form) {
  std::vector<Real> table(length * width);
  const Index last = form == Positions::sinusoidal_tensor2tensor ? std::max<Index>(width - 2, 1) : width;
  for (Index p = 0; p < length; ++p) {
    for (Index c = 0; c < width; ++c) {
      const double angle = static_cast<double>(p) /
                           power_of_ten_thousand(static_cast<double>(c / 2 * 2) / static_cast<double>(last));
      const Index to = form != Positions::sinusoidal ? c / 2 + c % 2 * (width / 2) : c;
      table[p * width + to] = static_cast<Real>(c % 2 == 0 ? sine(angle) : cosine(angle));
    }
  }
  return table;
}

Parameter& declare_tokens(LayerBuilder& builder, const std::string& name, const EmbeddingSettings& settings) {
  Parameter& tokens =
      *builder.parameters.declare(name + ".tokens", {settings.vocabulary_size, settings.width},
                                  settings.vocabulary_size, settings.width, Initializer::embedding_uniform);
  tokens.is_table = true;
  return tokens;
}

Embedding::Embedding(LayerBuilder& builder, const std::string& name, const EmbeddingSettings& settings,
                     Parameter& tokens)
    : tokens_(&tokens), settings_(settings) {
  if (settings.positions == Positions::learned) {
    positions_ = builder.parameters.declare(name + ".positions", {settings.length, settings.width},
                                            settings.length, settings.width, Initializer::embedding_uniform);
    positions_->is_table = true;
  } else if (is_sinusoidal(settings.positions)) {
    sinusoids_ = sinusoidal_positions(settings.length, settings.width, settings.positions);
  }
}

Variable Embedding::operator()(const ForwardContext& context, const Packing& packing,
                               std::span<const std::int32_t> ids,
                               std::span<const std::int32_t> position_of) const {
  const Real scale = settings_.is_scaled ? std::sqrt(static_cast<Real>(settings_.width)) : Real(1);
  if (positions_ != nullptr)
    return ops::embed(context.tape, packing, ids, *tokens_, scale, position_of, positions_);
  const ConstMatrix table = sinusoids_.empty() ? ConstMatrix()
                                               : ConstMatrix(static_cast<const Real*>(sinusoids_.data()),
                                                             settings_.length, settings_.width);
  return ops::embed(context.tape, packing, ids, *tokens_, scale, position_of, table);
}

}  // namespace headwater
