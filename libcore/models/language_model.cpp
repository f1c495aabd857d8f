#include "models/language_model.hpp"

#include "models/packing.hpp"

namespace headwater {

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
