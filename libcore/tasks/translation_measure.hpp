// BLEU and chrF of validation sentences, translated with the weights as they are.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "data/token_dataset.hpp"
#include "tasks/objective.hpp"
#include "tasks/task.hpp"

namespace headwater {

class TranslationMeasure {
 public:
  // Measures no sentence, and has no names.
  TranslationMeasure() = default;
  // Measures at most so many sentences, spread evenly over the validation examples. `model` must outlive
  // this. Without `translate` the figures stay empty.
  TranslationMeasure(const TranslationModel& model, TranslateIds translate, std::int64_t sentences)
      : model_(&model), translate_(std::move(translate)), sentences_(sentences) {}

  std::span<const std::string_view> figure_names() const;  // bleu, chrf
  // Both sides are the target tokenizer's text of ids: what it takes from a text, or a cut to the model's
  // length, is missing from the references too.
  void finish(const ColumnSubset& validation, ValidationFigures& figures) const;

 private:
  const TranslationModel* model_ = nullptr;
  TranslateIds translate_;
  std::int64_t sentences_ = 0;
};

}  // namespace headwater
