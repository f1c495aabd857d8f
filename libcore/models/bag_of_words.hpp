// The baseline for texts: which terms occur, or how often, one hidden layer, dropout, head. The order of
// words counts only within a term.
#pragma once

#include "layers/dropout.hpp"
#include "models/text_classifier.hpp"

namespace headwater {

// hidden = relu(bag·W + b): bag [rows, V] is sparse, and so is the gradient of W.
class BagOfWords : public TextClassifier {
 public:
  // `terms`: V. Declares its parameters; call parameters().allocate() next.
  BagOfWords(const ModelSettings& settings, Index terms);

  Parameters& parameters() override { return parameters_; }
  const Parameters& parameters() const override { return parameters_; }
  const ModelSettings& settings() const override { return settings_; }
  Index vocabulary() const override { return terms_; }
  const ClassHead& head() const override { return head_; }

  // batch.values has a number for each id: [rows, width]. An empty bag gives relu(b).
  Variable features(const ForwardContext& context, const ClassBatch& batch,
                    std::vector<AttentionTrace>* traces = nullptr) const override;

  std::vector<LayerSummary> summary() const override;

 private:
  ModelSettings settings_;
  Index terms_;
  Parameters parameters_;
  LayerBuilder builder_;
  Parameter* hidden_weight_;
  Parameter* hidden_bias_;
  Dropout output_dropout_;
  ClassHead head_;
};

}  // namespace headwater
