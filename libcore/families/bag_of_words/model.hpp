// The baseline for texts: which terms occur, or how often, one hidden layer, dropout, head. The order of
// words counts only within a term.
#pragma once

#include "families/classifier/model.hpp"
#include "layers/dropout.hpp"

namespace headwater {

struct BagOfWordsSettings {
  std::int64_t width = 256;  // of the hidden layer
  double output_dropout = 0.0;
  Initialization initialization = Initialization::keras;
  ClassHeadSettings head = {};
};

// hidden = relu(bag·W + b): bag [rows, V] is sparse, and so is the gradient of W.
class BagOfWords : public TextClassifier {
 public:
  // `terms`: V. Declares its parameters; call parameters().allocate() next.
  BagOfWords(const BagOfWordsSettings& settings, Index terms);

  Parameters& parameters() override { return parameters_; }
  const Parameters& parameters() const override { return parameters_; }
  const BagOfWordsSettings& settings() const { return settings_; }
  bool reads_bags() const override { return true; }
  Parameter* term_weights() override { return hidden_weight_; }
  Index width() const override { return settings_.width; }
  Index vocabulary() const override { return terms_; }
  const ClassHead& head() const override { return head_; }

  // batch.values has a number for each id: [rows, width]. An empty bag gives relu(b).
  Variable features(const ForwardContext& context, const ClassBatch& batch,
                    std::vector<AttentionTrace>* traces = nullptr) const override;

  std::vector<LayerSummary> summary() const override;

 private:
  BagOfWordsSettings settings_;
  Index terms_;
  Parameters parameters_;
  LayerBuilder builder_;
  Parameter* hidden_weight_;
  Parameter* hidden_bias_;
  Dropout output_dropout_;
  ClassHead head_;
};

}  // namespace headwater
