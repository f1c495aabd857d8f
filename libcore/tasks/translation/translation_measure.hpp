// Scores (BLEU, chrF) of validation sentences, translated with the weights as they are.
#pragma once

#include <cstdint>
#include <span>

#include "data/token_dataset.hpp"
#include "families/translator.hpp"
#include "metrics/text_metrics.hpp"
#include "training/objective.hpp"

namespace headwater {

class TranslationMeasure {
 public:
  // Measures no sentence, and has no metrics.
  TranslationMeasure() = default;
  // Measures at most so many sentences, spread evenly over the validation examples. `model` must outlive
  // this.
  TranslationMeasure(const LoadedTranslator& model, std::int64_t sentences)
      : model_(&model), sentences_(sentences) {}

  // Those of text_metrics() that are measured after each epoch.
  std::span<const Metric* const> metrics() const;
  // Both sides are the target tokenizer's text of ids: what it takes from a text, or a cut to the model's
  // length, is missing from the references too.
  void finish(const ColumnSubset& validation, ValidationFigures& figures) const;

 private:
  const LoadedTranslator* model_ = nullptr;
  std::int64_t sentences_ = 0;
};

}  // namespace headwater
