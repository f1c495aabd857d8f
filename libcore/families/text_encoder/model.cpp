#include "families/text_encoder/model.hpp"

#include <algorithm>
#include <cmath>

#include "layers/transformer_stack.hpp"

namespace headwater {

void ClassBatch::clear() {
  source.clear();
  words.clear();
  segment_of.clear();
  values.clear();
  labels.clear();
}

void ClassBatch::add(std::span<const std::int32_t> ids, Index length) {
  words.add(source.tokens(), length > 0 ? static_cast<Index>(ids.size()) : 0);
  source.add(ids);
  source.fill(length);
}

void ClassBatch::add_pair(std::span<const std::int32_t> ids, Index second, Index length) {
  const std::size_t begin = source.ids.size();
  add(ids, length);
  segment_of.resize(begin + static_cast<std::size_t>(second), 0);
  segment_of.resize(begin + ids.size(), 1);
  segment_of.resize(source.ids.size(), 0);  // padding
}

void ClassBatch::skip(std::span<const std::int32_t> ids, Index length) {
  const Index count = static_cast<Index>(ids.size());
  words.skip(length > 0 ? count : 0);
  source.skip(std::max(count, length));
}

void ClassBatch::finish(const BatchPart& part) {
  source.finish(part);
  words.finish(part);
  rows.assign(part);
}

// With an uncounted token the table has a row more, for padding.
static EmbeddingSettings encoder_embedding(const TextEncoderSettings& settings, Index vocabulary) {
  EmbeddingSettings embedding = embedding_settings(settings.transformer, vocabulary);
  if (settings.uncounted_token >= 0) ++embedding.length;
  return embedding;
}

TextEncoder::TextEncoder(LayerBuilder& builder, const TextEncoderSettings& settings, Index vocabulary)
    : settings_(settings),
      embedding_(builder, "embedding", encoder_embedding(settings, vocabulary)),
      dropout_("embedding", settings.transformer.dropout),
      blocks_(builder, "encoder", block_settings(settings.transformer, settings.mixing),
              settings.encoder_layers) {
  const Index width = settings.transformer.width;
  if (settings.segments > 0) {
    segments_ = builder.parameters.declare("embedding.segments", {settings.segments, width},
                                           settings.segments, width, Initializer::embedding_uniform);
    segments_->is_table = true;
  }
  if (settings.embedding_norm) norm_.emplace(builder, "embedding.norm", width, settings.transformer);
}

Index TextEncoder::padded_length(Index words) const {
  const bool is_filled =
      settings_.padding == Padding::attended || (settings_.padding == Padding::pooled && words > 0);
  return is_filled ? settings_.transformer.length : 0;
}

std::span<const std::int32_t> TextEncoder::position_rows(const ForwardContext& context,
                                                         const PackedTokens& tokens) const {
  if (settings_.uncounted_token < 0) return tokens.position_of;
  const std::span<std::int32_t> rows(context.tape.arena().allocate_array<std::int32_t>(tokens.tokens()),
                                     tokens.ids.size());
  std::int32_t counted = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (tokens.position_of[i] == 0) counted = 0;
    rows[i] = tokens.ids[i] == settings_.uncounted_token ? 0 : ++counted;
  }
  return rows;
}

Variable TextEncoder::embed(const ForwardContext& context, const PackedTokens& tokens,
                            std::span<const std::int32_t> segment_of) const {
  Variable x = embedding_(context, pack(context.tape, tokens), tokens.ids, position_rows(context, tokens));
  if (segments_ != nullptr) {
    if (segment_of.empty()) {
      const std::span<std::int32_t> first(context.tape.arena().allocate_array<std::int32_t>(tokens.tokens()),
                                          tokens.ids.size());
      std::fill(first.begin(), first.end(), 0);
      segment_of = first;
    }
    x = ops::add_positions(context.tape, x, segment_of, *segments_);
  }
  if (norm_) x = (*norm_)(context, x);
  return dropout_(context, x);
}

Variable TextEncoder::operator()(const ForwardContext& context, const PackedTokens& tokens,
                                 std::span<const std::int32_t> segment_of, const TokenSubset& words,
                                 std::vector<AttentionTrace>* traces) const {
  const Variable x = embed(context, tokens, segment_of);
  if (settings_.padding != Padding::pooled) return blocks_(context, x, {}, traces);
  const KeyTokens keys{words.tokens, pack(context.tape, words)};
  return blocks_(context, x, {.keys = &keys}, traces);
}

Variable TextEncoder::states(const ForwardContext& context, const PackedTokens& tokens,
                             std::span<const std::int32_t> segment_of, const TokenSubset& words,
                             Index layers) const {
  const Variable x = embed(context, tokens, segment_of);
  if (settings_.padding != Padding::pooled) return blocks_.states(context, x, layers);
  const KeyTokens keys{words.tokens, pack(context.tape, words)};
  return blocks_.states(context, x, layers, {.keys = &keys});
}

void TextEncoder::summarize(const Parameters& parameters, std::vector<LayerSummary>& rows) const {
  const std::string shape = "[S, " + std::to_string(width()) + "]";
  rows.push_back(layer_summary(parameters, "embedding", shape, 0, 0));
  blocks_.summarize(parameters, shape, settings_.transformer.length, rows);
}

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
