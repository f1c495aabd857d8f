#include "families/train_labels.hpp"

#include <algorithm>
#include <optional>

#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"

namespace headwater {

LabelMeasure::LabelMeasure(Index classes) : measure_(static_cast<std::int32_t>(classes)) {
  for (const ClassMetric& metric : class_metrics()) {
    if (metric.is_validated() && classes >= metric.min_classes) class_metrics_.push_back(&metric);
  }
  std::stable_sort(
      class_metrics_.begin(), class_metrics_.end(),
      [](const ClassMetric* a, const ClassMetric* b) { return a->min_classes < b->min_classes; });
  metrics_.assign(class_metrics_.begin(), class_metrics_.end());
}

void LabelMeasure::add(std::span<const std::int32_t> labels, ConstMatrix probabilities) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    measure_.add(labels[i],
                 {probabilities.row(static_cast<Index>(i)), static_cast<std::size_t>(probabilities.cols)});
  }
}

void LabelMeasure::finish(ValidationFigures& figures) const {
  if (measure_.counts().samples() == 0) return;
  const ClassResults results{
      .counts = measure_.counts(), .roc_auc = measure_.auc(), .top5_accuracy = measure_.top5_accuracy()};
  figures.figures.clear();
  for (const ClassMetric* metric : class_metrics_) {
    const std::optional<Score> score = metric->score(results);
    figures.figures.push_back(score ? std::optional<double>(score->value) : std::nullopt);
  }
}

void check_both_labels(const Recipe& recipe, const LabelSet& labels, std::size_t count,
                       const std::function<std::int32_t(std::size_t)>& label) {
  const TrainingSettings& training = recipe.training;
  if (training.best_metric != "roc_auc" && training.early_stopping.metric != "roc_auc") return;
  for (std::size_t i = 1; i < count; ++i) {
    if (label(i) != label(0)) return;
  }
  throw Error(
      "validation: " +
      (count == 0 ? std::string("no examples") : "every label is " + quote(labels.labels()[label(0)])) +
      ", which has no roc_auc (validate on examples of both labels, or choose another "
      "training.best_metric and early_stopping.metric)");
}

std::vector<std::string> unlearned_labels(const LabelSet& labels, std::size_t count,
                                          const std::function<std::int32_t(std::size_t)>& label) {
  std::vector<bool> is_learned(labels.size());
  for (std::size_t i = 0; i < count; ++i) is_learned[label(i)] = true;
  std::vector<std::string> absent;
  for (std::size_t id = 0; id < is_learned.size(); ++id) {
    if (!is_learned[id]) absent.push_back(labels.labels()[id]);
  }
  if (absent.empty()) return {};
  return {counted(static_cast<std::int64_t>(absent.size()), "label") +
          " without a training example, which the model cannot learn to give: " + quoted_list(absent)};
}

std::vector<Real> class_weights(const Recipe& recipe, const LabelSet& labels, std::size_t count,
                                const std::function<std::int32_t(std::size_t)>& label) {
  const ClassWeights& wanted = recipe.training.class_weights;
  if (wanted.word == "none") return {};
  const std::size_t classes = labels.size();
  std::vector<Real> weights(classes, 1);
  for (const auto& [name, weight] : wanted.of_labels) {
    const std::int32_t id = labels.find(name);
    if (id < 0) {
      throw UsageError("training.class_weights: " + quote(name) +
                       " is not a label (known: " + labels.shown() + ")");
    }
    weights[id] = static_cast<Real>(weight);
  }
  if (wanted.word != "balanced") return weights;
  std::vector<std::int64_t> samples(classes);
  for (std::size_t i = 0; i < count; ++i) ++samples[label(i)];
  const auto present = static_cast<double>(classes) -
                       static_cast<double>(std::count(samples.begin(), samples.end(), std::int64_t{0}));
  for (std::size_t c = 0; c < classes; ++c) {
    if (samples[c] == 0) continue;  // no example asks for it
    weights[c] = static_cast<Real>(static_cast<double>(count) / (present * static_cast<double>(samples[c])));
  }
  return weights;
}

}  // namespace headwater
