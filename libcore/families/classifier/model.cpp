#include "families/classifier/model.hpp"

#include "layers/transformer_stack.hpp"

namespace headwater {

ClassHead::ClassHead(const ClassHeadSettings& settings)
    : is_sigmoid_(with_classes(settings, 2).head == HeadType::sigmoid),
      outputs_(is_sigmoid_ ? 1 : with_classes(settings, 2).classes) {}

ClassHead::ClassHead(LayerBuilder& builder, const std::string& name, const ClassHeadSettings& settings,
                     Index inputs)
    : ClassHead(settings) {
  linear_.emplace(builder, name, inputs, outputs_);
}

kernels::CrossEntropyTotals ClassHead::loss(const ForwardContext& context, const Variable& x,
                                            std::span<const std::int32_t> labels, double label_smoothing,
                                            double loss_scale, std::span<const Real> class_weights) const {
  const Real scale = static_cast<Real>(loss_scale);
  if (is_sigmoid_)
    return ops::binary_cross_entropy(context.tape, logits(context, x), labels, scale, class_weights);
  const Real smoothing = static_cast<Real>(label_smoothing);
  if (linear_) {
    return ops::linear_cross_entropy(context.tape, x, linear_->weight(), linear_->bias(), labels, smoothing,
                                     scale, class_weights);
  }
  Parameter same;  // x · 1
  same.value = context.tape.arena().matrix(outputs_, outputs_);
  kernels::fill(same.value, 0);
  for (Index k = 0; k < outputs_; ++k) same.value.row(k)[k] = 1;
  return ops::linear_cross_entropy(context.tape, x, same, nullptr, labels, smoothing, scale, class_weights);
}

Matrix ClassHead::probabilities(const ForwardContext& context, const Variable& logits) const {
  const Index rows = logits.rows();
  const Matrix result = context.tape.arena().matrix(rows, is_sigmoid_ ? 2 : logits.cols());
  if (!is_sigmoid_) {
    kernels::softmax(logits.value(), result);
    return result;
  }
  // 1 - p by the sigmoid of -z, so that a small one keeps its digits.
  for (Index s = 0; s < rows; ++s) {
    result.row(s)[0] = -logits.value().row(s)[0];
    result.row(s)[1] = logits.value().row(s)[0];
  }
  kernels::activate(kernels::Activation::sigmoid, result, result);
  return result;
}

Classifier::Classifier(const ClassifierSettings& settings, Index vocabulary)
    : settings_(settings),
      vocabulary_(vocabulary),
      builder_{parameters_},
      encoder_(builder_, settings, vocabulary),
      output_dropout_("output", settings.transformer.output_dropout),
      head_(builder_, "head", settings.head, settings.transformer.width) {
  if (settings.pooler) {
    pooler_.emplace(builder_, "pooler", encoder_.width(), encoder_.width(), settings.pooler_activation);
  }
  set_initialization(parameters_, settings.transformer.initialization);
}

Variable Classifier::features(const ForwardContext& context, const ClassBatch& batch,
                              std::vector<AttentionTrace>* traces) const {
  const Variable hidden = encoder_(context, batch.source, batch.segment_of, batch.words, traces);
  const Variable pooled = ops::pool(context.tape, hidden, settings_.pooling, pack(context.tape, batch.rows));
  return output_dropout_(context, pooled_features(context, pooled));
}

std::vector<LayerSummary> Classifier::summary() const {
  const std::string width = std::to_string(this->width());
  std::vector<LayerSummary> rows;
  encoder_.summarize(parameters_, rows);
  rows.push_back({"pooling", "[" + width + "]", 0, 0});
  if (pooler_) {
    rows.push_back(layer_summary(parameters_, "pooler", "[" + width + "]",
                                 2.0 * static_cast<double>(this->width() * this->width()), 1));
  }
  rows.push_back(layer_summary(parameters_, "head", "[" + std::to_string(head_.outputs()) + "]",
                               2.0 * static_cast<double>(this->width() * head_.outputs()), 1));
  return rows;
}

}  // namespace headwater
