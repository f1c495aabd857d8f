#include "families/bag_of_words/model.hpp"

#include "layers/transformer_stack.hpp"

namespace headwater {

BagOfWords::BagOfWords(const BagOfWordsSettings& settings, Index terms)
    : settings_(settings),
      terms_(terms),
      builder_{parameters_},
      hidden_weight_(parameters_.declare("hidden.weight", {terms, settings.width}, terms, settings.width,
                                         Initializer::glorot_uniform, static_cast<double>(terms),
                                         static_cast<double>(settings.width))),
      hidden_bias_(
          parameters_.declare("hidden.bias", {settings.width}, 1, settings.width, Initializer::zeros)),
      output_dropout_("output", settings.output_dropout),
      head_(builder_, "head", settings.head, settings.width) {
  hidden_weight_->is_table = true;
  set_initialization(parameters_, settings.initialization);
}

Variable BagOfWords::features(const ForwardContext& context, const ClassBatch& batch,
                              std::vector<AttentionTrace>*) const {
  Tape& tape = context.tape;
  const Variable hidden = ops::sparse_linear(
      tape, {.ids = batch.source.ids, .values = batch.values, .entries = &pack(tape, batch.source)},
      pack(tape, batch.rows), *hidden_weight_, *hidden_bias_, ops::Activation::relu);
  return output_dropout_(context, hidden);
}

std::vector<LayerSummary> BagOfWords::summary() const {
  const double width = static_cast<double>(settings_.width), outputs = static_cast<double>(head_.outputs());
  return {layer_summary(parameters_, "hidden", "[" + std::to_string(settings_.width) + "]",
                        2 * static_cast<double>(terms_) * width, 1),
          layer_summary(parameters_, "head", "[" + std::to_string(head_.outputs()) + "]", 2 * width * outputs,
                        1)};
}

}  // namespace headwater
