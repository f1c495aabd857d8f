// A Transformer encoder that gives each sequence a label: embedding, blocks that mix by attention, Fourier
// transform or token mixing, pooling over the sequence, dropout, head.
#pragma once

#include "layers/embedding.hpp"
#include "models/text_classifier.hpp"
#include "models/transformer_stack.hpp"

namespace headwater {

struct ClassifierSettings {
  TransformerSettings transformer;
  MixingSettings mixing;
  std::int64_t encoder_layers = 1;
  std::string pooling = "max";   // max | mean | first (token): what of a sequence the head reads
  std::string padding = "none";  // none | attended | pooled: every sequence filled to `length` with padding
                                 // that counts as tokens, or that is pooled but not attended to
  ClassHeadSettings head;
};

class Classifier : public TextClassifier {
 public:
  // Declares its parameters; call parameters().allocate() next. Throws UsageError where settings do not fit
  // together.
  Classifier(const ClassifierSettings& settings, Index vocabulary);

  Parameters& parameters() override { return parameters_; }
  const Parameters& parameters() const override { return parameters_; }
  const ClassifierSettings& settings() const { return settings_; }
  Index length() const override { return settings_.transformer.length; }
  Index width() const override { return settings_.transformer.width; }
  Index padded_length(Index words) const override;
  Index vocabulary() const override { return vocabulary_; }
  const ClassHead& head() const override { return head_; }

  // Tokens [T] -> [T, D].
  Variable encode(const ForwardContext& context, const ClassBatch& batch,
                  std::vector<AttentionTrace>* traces = nullptr) const;
  // One row a sequence: [sequences, D]. A sequence without tokens gives zeros.
  Variable features(const ForwardContext& context, const ClassBatch& batch,
                    std::vector<AttentionTrace>* traces = nullptr) const override;

  std::vector<LayerSummary> summary() const override;

 private:
  ClassifierSettings settings_;
  Index vocabulary_;
  Parameters parameters_;
  LayerBuilder builder_;
  Embedding embedding_;
  Dropout embedding_dropout_;
  Dropout output_dropout_;
  ClassHead head_;
  TransformerStack encoder_;
};

}  // namespace headwater
