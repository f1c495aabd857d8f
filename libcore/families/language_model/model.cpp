#include "families/language_model/model.hpp"

#include <algorithm>

#include "layers/transformer_stack.hpp"

namespace headwater {

DelimitedText DelimitedText::truncated(std::size_t max_ids) const {
  const std::size_t room = max_ids > 0 ? max_ids - 1 : 0, of_target = std::min(target.size(), room);
  return {source.first(std::min(source.size(), room - of_target)), target.first(of_target), delimiter};
}

std::vector<TextWindow> text_windows(std::size_t ids, std::size_t length, std::size_t stride) {
  std::vector<TextWindow> windows{{0, 1, std::min(ids, length + 1)}};
  while (windows.back().end < ids) {
    const std::size_t predicted = windows.back().end, end = std::min(ids, predicted + stride);
    windows.push_back({end - 1 - length, predicted, end});
  }
  return windows;
}

void TokenBatch::clear() {
  tokens.clear();
  predicting.clear();
  labels.clear();
  padding = 0;
}

void TokenBatch::add(std::span<const std::int32_t> ids, Index length) {
  const Index filled = length - (static_cast<Index>(ids.size()) - 1);
  labels.insert(labels.end(), ids.begin() + 1, ids.end());
  if (filled <= 0) return tokens.add(ids.first(ids.size() - 1));
  // The last id is read, too: the first padding follows it.
  tokens.add(ids);
  tokens.fill(length);
  labels.insert(labels.end(), static_cast<std::size_t>(filled), 0);
  padding += filled;
}

void TokenBatch::add(const DelimitedText& text) {
  const Index before = tokens.tokens() + static_cast<Index>(text.source.size());
  tokens.add(text.source);
  tokens.append({&text.delimiter, 1});
  tokens.append(text.target.first(text.target.size() - 1));
  predicting.add(before, static_cast<Index>(text.target.size()));
  labels.insert(labels.end(), text.target.begin(), text.target.end());
}

void TokenBatch::skip(const DelimitedText& text) {
  tokens.skip(static_cast<Index>(text.size()) - 1);
  predicting.skip(static_cast<Index>(text.target.size()));
}

void TokenBatch::finish(const BatchPart& part) {
  tokens.finish(part);
  if (is_delimited()) predicting.finish(part);
}

namespace {

OutputLayer head_of(LayerBuilder& builder, const LanguageModelSettings& settings, const Embedding& embedding,
                    Index vocabulary) {
  return settings.tie_embeddings
             ? OutputLayer(builder, "head", embedding.tokens(), settings.output_bias)
             : OutputLayer(builder, "head", settings.transformer.width, vocabulary, settings.output_bias);
}

}  // namespace

LanguageModel::LanguageModel(const LanguageModelSettings& settings, Index vocabulary)
    : settings_(settings),
      vocabulary_(vocabulary),
      builder_{parameters_},
      embedding_(builder_, "embedding", embedding_settings(settings.transformer, vocabulary)),
      head_(head_of(builder_, settings, embedding_, vocabulary)),
      decoder_(builder_, "decoder", causal_block_settings(settings.transformer, settings.mixing),
               settings.layers),
      embedding_dropout_("embedding", settings.embedding_dropout),
      output_dropout_("output", settings.transformer.output_dropout) {
  set_initialization(parameters_, settings.transformer.initialization);
}

Variable LanguageModel::embed_target(const ForwardContext& context, const Packing& packing,
                                     std::span<const std::int32_t> ids,
                                     std::span<const std::int32_t> position_of) const {
  return embedding_dropout_(context, embedding_(context, packing, ids, position_of));
}

Variable LanguageModel::decode(const ForwardContext& context, const PackedTokens& tokens,
                               std::vector<AttentionTrace>* traces) const {
  const Variable x = embed_target(context, pack(context.tape, tokens), tokens.ids, tokens.position_of);
  return output_dropout_(context, decoder_(context, x, {}, traces));
}

kernels::CrossEntropyTotals LanguageModel::loss(const ForwardContext& context, const TokenBatch& batch,
                                                double label_smoothing, double loss_scale) const {
  Variable hidden = decode(context, batch.tokens);
  if (batch.is_delimited())
    hidden =
        ops::take_rows(context.tape, hidden, batch.predicting.tokens, pack(context.tape, batch.predicting));
  return head_.loss(context, hidden, batch.labels, label_smoothing, loss_scale);
}

std::vector<LayerSummary> LanguageModel::summary() const {
  const TransformerSettings& t = settings_.transformer;
  const std::string shape = "[T, " + std::to_string(t.width) + "]";
  std::vector<LayerSummary> rows;
  rows.push_back(layer_summary(parameters_, "embedding", shape, 0, 0));
  decoder_.summarize(parameters_, shape, t.length, rows);
  rows.push_back(layer_summary(parameters_, "head", "[T, " + std::to_string(vocabulary_) + "]",
                               2.0 * static_cast<double>(t.length * t.width * vocabulary_), t.length));
  return rows;
}

}  // namespace headwater
