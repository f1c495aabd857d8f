// What all models have in common that give a label to a sequence: training, classify and evaluate need no
// more.
#pragma once

#include <optional>
#include <vector>

#include "families/text_encoder/model.hpp"
#include "layers/builder.hpp"
#include "layers/linear.hpp"
#include "layers/transformer_stack.hpp"
#include "models/settings.hpp"

namespace headwater {

// The last layer and its loss: one sigmoid output for two classes, or a softmax over all.
class ClassHead {
 public:
  // `name`.weight [inputs, outputs], `name`.bias. Two classes where the settings leave it open.
  ClassHead(LayerBuilder& builder, const std::string& name, const ClassHeadSettings& settings, Index inputs);

  // For a model whose features are the logits.
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
  // For a model that reads bags: the weights of its terms, a row each.
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

// template_: those of the tokenizer around each text.
enum class SpecialTokens { none, template_ };

// An encoder that gives each sequence a label: embedding, blocks that mix by attention or otherwise, or are
// recurrent layers, pooling over the sequence, dropout, head.
//
struct ClassifierSettings : TextEncoderSettings {
  ops::Pooling pooling = ops::Pooling::max;  // what the head reads
  SpecialTokens special_tokens = SpecialTokens::none;
  bool pairs = false;   // an example is two texts, which the template joins
  bool pooler = false;  // a dense layer between pooling and head (Devlin et al. 2019)
  ops::Activation pooler_activation = ops::Activation::tanh;
  ClassHeadSettings head;

  bool has_template() const { return special_tokens == SpecialTokens::template_; }
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
