// The metrics of classifiers, a row each, but for loss and accuracy, which every model has.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "metrics/calibration.hpp"
#include "metrics/class_scores.hpp"
#include "metrics/metric.hpp"

namespace headwater {

// What they are computed of.
struct ClassResults {
  const ClassCounts& counts;
  std::optional<double> roc_auc = {};        // of two classes that both occur
  std::optional<double> top5_accuracy = {};  // where probabilities of more than five classes are known
  const Calibration* calibration = nullptr;  // where probabilities are known; not known after an epoch
  std::string_view last_label = {};          // the positive one of two; not known after an epoch
};

struct ClassMetric : Metric {
  // For so many classes it is defined.
  std::int32_t min_classes = 1, max_classes = std::numeric_limits<std::int32_t>::max();
  // Nothing where it is not defined for these examples.
  std::optional<Score> (*score)(const ClassResults& results);

  bool is_of(std::int64_t classes) const { return classes >= min_classes && classes <= max_classes; }
  // "two classes", "more than 5 classes"
  std::string classes() const;
};

// In the order of evaluate's table.
std::span<const ClassMetric> class_metrics();
// Null for a word that is none of them.
const ClassMetric* find_class_metric(std::string_view name);

}  // namespace headwater
