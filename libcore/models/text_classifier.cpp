#include "models/text_classifier.hpp"

namespace headwater {

ClassHead::ClassHead(const ClassHeadSettings& settings)
    : is_sigmoid_(with_classes(settings, 2).head == "sigmoid"),
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

}  // namespace headwater
