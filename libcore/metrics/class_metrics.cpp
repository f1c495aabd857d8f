#include "metrics/class_metrics.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

std::optional<Score> macro_f1_score(const ClassResults& results) {
  const std::int64_t classes = results.counts.classes(), used = results.counts.classes_of_macro_f1();
  if (used == classes) return Score{results.counts.macro_f1(), {"mean of the classes' F1"}};
  return Score{results.counts.macro_f1(),
               {"mean of the F1 of " + format_count(used) + " of the " + format_count(classes) +
                " classes: the others neither occur nor are predicted"},
               {{"classes", used}}};
}

std::optional<Score> top5_score(const ClassResults& results) {
  if (!results.top5_accuracy) return std::nullopt;
  return Score{*results.top5_accuracy, {"the right class is among the five most probable"}};
}

std::optional<Score> roc_auc_score(const ClassResults& results) {
  if (!results.roc_auc) return std::nullopt;
  return Score{*results.roc_auc,
               {"of the score of \"" + visible(results.last_label) + "\", ties counting half"}};
}

std::optional<Score> calibration_score(const ClassResults& results) {
  if (results.calibration == nullptr) return std::nullopt;
  return Score{results.calibration->expected_error(), {"expected calibration error, 15 bins of equal width"}};
}

constexpr ClassMetric kClassMetrics[] = {
    {{.name = "top5_accuracy",
      .heading = "top-5 accuracy",
      .meaning =
          "the share whose class is among the five most probable: of classifiers of more than 5 classes",
      .column = "validation_top5_accuracy",
      .of = MetricOf::classifiers},
     kTopClasses + 1,
     std::numeric_limits<std::int32_t>::max(),
     top5_score},
    {{.name = "macro_f1",
      .heading = "macro F1",
      .meaning = "the mean of the classes' F1: of classifiers",
      .column = "validation_macro_f1",
      .of = MetricOf::classifiers},
     1,
     std::numeric_limits<std::int32_t>::max(),
     macro_f1_score},
    {{.name = "roc_auc",
      .heading = "ROC AUC",
      .meaning = "the area under the ROC curve: of classifiers of two classes",
      .column = "validation_roc_auc",
      .of = MetricOf::classifiers},
     2,
     2,
     roc_auc_score},
    {{.name = "ece",
      .heading = "ECE",
      .meaning = "the expected calibration error of the probabilities (Guo et al. 2017)",
      .column = {},
      .of = MetricOf::classifiers,
      .best = Metric::Best::lowest},
     1,
     std::numeric_limits<std::int32_t>::max(),
     calibration_score}};

}  // namespace

std::string ClassMetric::classes() const {
  if (min_classes == 2 && max_classes == 2) return "two classes";
  return "more than " + std::to_string(min_classes - 1) + " classes";
}

std::span<const ClassMetric> class_metrics() { return kClassMetrics; }

const ClassMetric* find_class_metric(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kClassMetrics), std::end(kClassMetrics),
                                         [&](const ClassMetric& metric) { return metric.name == name; });
  return found == std::end(kClassMetrics) ? nullptr : found;
}

}  // namespace headwater
