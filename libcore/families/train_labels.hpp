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
#include "metrics/class_metrics.hpp"
#include "recipe/recipe.hpp"
#include "tensor/matrix.hpp"
#include "training/objective.hpp"

namespace headwater {

// The figures of one validation.
class LabelMeasure {
 public:
  explicit LabelMeasure(Index classes);
  // Those of class_metrics() that are measured after each epoch. What is of few numbers of classes comes
  // last, and not at all where there are fewer.
  std::span<const Metric* const> metrics() const { return metrics_; }
  void clear() { measure_.clear(); }
  // probabilities [labels, classes]
  void add(std::span<const std::int32_t> labels, ConstMatrix probabilities);
  void finish(ValidationFigures& figures) const;

 private:
  ClassMeasure measure_;
  std::vector<const Metric*> metrics_;
  std::vector<const ClassMetric*> class_metrics_;  // the same
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
