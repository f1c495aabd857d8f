// What training on labels has in common, whatever is labelled: figures of a validation, weights of classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/labels.hpp"
#include "metrics/class_scores.hpp"
#include "recipe/recipe.hpp"
#include "tensor/matrix.hpp"
#include "training/objective.hpp"

namespace headwater {

// The figures of one validation.
class LabelMeasure {
 public:
  explicit LabelMeasure(Index classes) : measure_(static_cast<std::int32_t>(classes)) {}
  std::span<const std::string_view> figure_names() const;  // macro_f1, roc_auc; of many classes top5_accuracy
  void clear() { measure_.clear(); }
  // probabilities [labels, classes]
  void add(std::span<const std::int32_t> labels, ConstMatrix probabilities);
  void finish(ValidationFigures& figures) const;

 private:
  ClassMeasure measure_;
};

// training.class_weights, a number a label; empty where there are none. Balanced ones are those of `count`
// examples, of which `label` gives the labels. Throws UsageError for a name that is no label.
std::vector<Real> class_weights(const Recipe& recipe, const LabelSet& labels, std::size_t count,
                                const std::function<std::int32_t(std::size_t)>& label);
// Names the labels that no example of training has, in a sentence; none where each has one.
std::vector<std::string> unlearned_labels(const LabelSet& labels, std::size_t count,
                                          const std::function<std::int32_t(std::size_t)>& label);
// Throws Error where epochs are chosen by roc_auc and the validation examples have one label only. `label`
// gives the label of an example.
void check_both_labels(const Recipe& recipe, const LabelSet& labels, std::size_t count,
                       const std::function<std::int32_t(std::size_t)>& label);

}  // namespace headwater
