// An encoder that gives each sequence a label: embedding, blocks that mix by attention or otherwise, or are
// recurrent layers, pooling over the sequence, dropout, head.
#pragma once

#include <optional>

#include "models/text_classifier.hpp"
#include "models/text_encoder.hpp"

namespace headwater {

struct ClassifierSettings : TextEncoderSettings {
  std::string pooling = "max";             // max | mean | first, last (token): what the head reads
  std::string special_tokens = "none";     // none | template: those of the tokenizer around each text
  bool pairs = false;                      // an example is two texts, which the template joins
  bool pooler = false;                     // a dense layer between pooling and head (Devlin et al. 2019)
  std::string pooler_activation = "tanh";  // tanh | relu
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
  Index width() const override { return encoder_.width(); }
  Index padded_length(Index words) const override { return encoder_.padded_length(words); }
  Index vocabulary() const override { return vocabulary_; }
  Index segments() const override { return settings_.segments; }
  const ClassHead& head() const override { return head_; }

  const TextEncoder& encoder() const { return encoder_; }
  // What follows the pooling: the pooler, where there is one, [sequences, D].
  Variable pooled_features(const ForwardContext& context, const Variable& pooled) const {
    return pooler_ ? (*pooler_)(context, pooled) : pooled;
  }
  // One row a sequence: [sequences, D]. Without a pooler a sequence without tokens gives zeros.
  Variable features(const ForwardContext& context, const ClassBatch& batch,
                    std::vector<AttentionTrace>* traces = nullptr) const override;

  std::vector<LayerSummary> summary() const override;

 private:
  ClassifierSettings settings_;
  Index vocabulary_;
  Parameters parameters_;
  LayerBuilder builder_;
  TextEncoder encoder_;
  std::optional<Linear> pooler_;
  Dropout output_dropout_;
  ClassHead head_;
};

}  // namespace headwater
