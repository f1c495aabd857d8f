// What all models have in common that give a label to a sequence: training, classify and evaluate need no
// more.
#pragma once

#include <optional>
#include <vector>

#include "data/class_batch.hpp"
#include "layers/builder.hpp"
#include "layers/linear.hpp"
#include "models/attention_trace.hpp"
#include "models/layer_summary.hpp"
#include "models/settings.hpp"

namespace headwater {

// The last layer and its loss: one sigmoid output for two classes, or a softmax over all.
class ClassHead {
 public:
  // `name`.weight [inputs, outputs], `name`.bias. Two classes where the settings leave it open.
  ClassHead(LayerBuilder& builder, const std::string& name, const ClassHeadSettings& settings, Index inputs);

  // Of a model whose features are the logits.
  explicit ClassHead(const ClassHeadSettings& settings);

  Index outputs() const { return outputs_; }
  Index classes() const { return is_sigmoid_ ? 2 : outputs(); }
  // x [sequences, inputs] -> [sequences, outputs]
  Variable logits(const ForwardContext& context, const Variable& x) const {
    return linear_ ? (*linear_)(context, x) : x;
  }
  // Sum over the sequences; gradients of loss_scale · loss follow from tape.backward(). With `class_weights`,
  // one a class, a sequence counts as often as its label's says.
  kernels::CrossEntropyTotals loss(const ForwardContext& context, const Variable& x,
                                   std::span<const std::int32_t> labels, double label_smoothing,
                                   double loss_scale, std::span<const Real> class_weights = {}) const;
  // logits [sequences, outputs] -> [sequences, classes], rows that sum to 1
  Matrix probabilities(const ForwardContext& context, const Variable& logits) const;

 private:
  bool is_sigmoid_;
  Index outputs_;
  std::optional<Linear> linear_;
};

class TextClassifier {
 public:
  virtual ~TextClassifier() = default;
  virtual Parameters& parameters() = 0;
  virtual const Parameters& parameters() const = 0;
  // Positions: longer texts are truncated; 0: it reads any number of tokens.
  virtual Index length() const { return 0; }
  virtual Index width() const = 0;                   // D, for learning-rate schedules
  virtual bool reads_bags() const { return false; }  // ClassBatch::values beside the ids
  // Of a model that reads bags: the weights of its terms, a row each.
  virtual Parameter* term_weights() { return nullptr; }
  // To how many tokens a batch fills a sequence of so many words with padding; 0: it does not.
  virtual Index padded_length(Index /*words*/) const { return 0; }
  virtual Index vocabulary() const = 0;  // ids are below
  // Rows of the table of segments: 2 tell the texts of a pair apart.
  virtual Index segments() const { return 0; }
  // What the head reads: [sequences, ...].
  virtual Variable features(const ForwardContext& context, const ClassBatch& batch,
                            std::vector<AttentionTrace>* traces = nullptr) const = 0;
  virtual const ClassHead& head() const = 0;
  Index classes() const { return head().classes(); }
  virtual std::vector<LayerSummary> summary() const = 0;

  // Sum over the sequences of the batch.
  kernels::CrossEntropyTotals loss(const ForwardContext& context, const ClassBatch& batch,
                                   double label_smoothing, double loss_scale) const {
    return head().loss(context, features(context, batch), batch.labels, label_smoothing, loss_scale);
  }
  // [sequences, classes], in the tape's arena.
  Matrix probabilities(const ForwardContext& context, const ClassBatch& batch) const {
    return head().probabilities(context, head().logits(context, features(context, batch)));
  }
};

}  // namespace headwater
