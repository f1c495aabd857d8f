// A linear layer over the terms of a text, or over its vector by an encoder that keeps its weights
// (multinomial logistic regression). training/logistic_regression.hpp finds the weights.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "families/classifier/model.hpp"
#include "families/text_encoder/model.hpp"

namespace headwater {

struct LinearClassifierSettings {
  std::string encoder;  // the model directory of the encoder; empty: terms are read
  double C = 1;         // 1 / strength of the L2 penalty
  ClassHeadSettings head = {};
  // What the directory of the encoder says.
  TextEmbedderSettings vectors = {};
  std::int64_t vocabulary = 0;  // of its tokenizer; 0: the directory has not been read

  bool reads_terms() const { return encoder.empty(); }
};

class LinearClassifier : public TextClassifier {
 public:
  // `terms`: V of a model that reads terms. Declares its parameters; call parameters().allocate() next.
  LinearClassifier(const LinearClassifierSettings& settings, Index terms);

  Parameters& parameters() override { return parameters_; }
  const Parameters& parameters() const override { return parameters_; }
  const LinearClassifierSettings& settings() const { return settings_; }
  bool reads_bags() const override { return settings_.reads_terms(); }
  Parameter* term_weights() override { return reads_bags() ? weight_ : nullptr; }
  Index length() const override;
  Index padded_length(Index words) const override { return encoder_ ? encoder_->padded_length(words) : 0; }
  Index width() const override { return weight_->value.rows; }  // numbers of a text
  Index vocabulary() const override { return vocabulary_; }
  const ClassHead& head() const override { return head_; }
  const TextEncoder& encoder() const { return *encoder_; }
  Parameter& weight() { return *weight_; }  // [width, outputs]
  Parameter& bias() { return *bias_; }

  // For a model with an encoder: the vector of each text, as embed writes it: [sequences, D]. No gradient.
  Variable vectors(const ForwardContext& context, const ClassBatch& batch) const;
  // The logits: [sequences, outputs].
  Variable features(const ForwardContext& context, const ClassBatch& batch,
                    std::vector<AttentionTrace>* traces = nullptr) const override;
  std::vector<LayerSummary> summary() const override;

 private:
  LinearClassifierSettings settings_;
  Index vocabulary_;
  Parameters parameters_;
  LayerBuilder builder_;
  std::optional<TextEncoder> encoder_;
  ClassHead head_;
  Parameter *weight_, *bias_;
};

}  // namespace headwater
