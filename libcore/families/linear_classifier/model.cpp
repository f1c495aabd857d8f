#include "families/linear_classifier/model.hpp"

#include "layers/transformer_stack.hpp"

namespace headwater {

LinearClassifier::LinearClassifier(const LinearClassifierSettings& settings, Index terms)
    : settings_(settings),
      vocabulary_(settings.reads_terms() ? terms : settings.vocabulary),
      builder_{parameters_},
      head_(settings.head) {
  if (!settings.reads_terms()) encoder_.emplace(builder_, settings.vectors, vocabulary_);
  for (const auto& kept : parameters_.all()) kept->is_frozen = true;
  const Index inputs = encoder_ ? encoder_->width() : terms, outputs = head_.outputs();
  weight_ = parameters_.declare("head.weight", {inputs, outputs}, inputs, outputs, Initializer::zeros);
  bias_ = parameters_.declare("head.bias", {outputs}, 1, outputs, Initializer::zeros);
  weight_->is_table = !encoder_;
}

Index LinearClassifier::length() const { return encoder_ ? tokens_read(settings_.vectors) : 0; }

Variable LinearClassifier::vectors(const ForwardContext& context, const ClassBatch& batch) const {
  const Variable states = (*encoder_)(context, batch.source, batch.segment_of, batch.words);
  const Variable pooled =
      ops::pool(context.tape, states, settings_.vectors.pooling, pack(context.tape, batch.rows));
  if (settings_.vectors.normalize) normalize_rows(pooled.value());
  return pooled;
}

Variable LinearClassifier::features(const ForwardContext& context, const ClassBatch& batch,
                                    std::vector<AttentionTrace>*) const {
  Tape& tape = context.tape;
  if (encoder_) return ops::linear(tape, vectors(context, batch), *weight_, bias_);
  return ops::sparse_linear(
      tape, {.ids = batch.source.ids, .values = batch.values, .entries = &pack(tape, batch.source)},
      pack(tape, batch.rows), *weight_, *bias_, ops::Activation::none);
}

std::vector<LayerSummary> LinearClassifier::summary() const {
  std::vector<LayerSummary> rows;
  if (encoder_) {
    encoder_->summarize(parameters_, rows);
    rows.push_back({"pooling", "[" + std::to_string(encoder_->width()) + "]", 0, 0});
  }
  rows.push_back(layer_summary(parameters_, "head", "[" + std::to_string(head_.outputs()) + "]",
                               2 * static_cast<double>(width() * head_.outputs()), 1));
  return rows;
}

}  // namespace headwater
