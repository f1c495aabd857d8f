// How good predictions of classes are, which count from 0, and the metrics of classifiers, a row each, but
// for loss and accuracy, which every model has.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "metrics/calibration.hpp"
#include "metrics/registry.hpp"
#include "tensor/matrix.hpp"

namespace headwater {

// The scores of one class; a share of nothing is 0.
struct ClassScores {
  double precision = 0;  // of those predicted to be of the class, how many are
  double recall = 0;     // of those that are, how many were predicted
  double f1 = 0;         // harmonic mean of the two
  std::int64_t support = 0, predicted = 0;
};

// How often each class occurs, is predicted, and is predicted rightly.
class ClassCounts {
 public:
  // Throws Error where there are no classes.
  explicit ClassCounts(std::int32_t classes);
  // Throws Error where a class is not in [0, classes).
  void add(std::int32_t label, std::int32_t prediction);

  std::int32_t classes() const { return static_cast<std::int32_t>(right_.size()); }
  std::int64_t samples() const { return sample_count_; }
  double accuracy() const;  // NaN of no samples, as is macro_f1
  ClassScores scores(std::int32_t of_class) const;
  // The mean F1 of the classes that are or were predicted at all.
  double macro_f1() const;
  std::int64_t classes_of_macro_f1() const;  // so many are these

 private:
  std::vector<std::int64_t> right_, samples_, predictions_;  // of each class
  std::int64_t sample_count_ = 0;
};

// How often class `label` was taken for class `prediction`.
class ConfusionMatrix {
 public:
  // Errors as of ClassCounts.
  explicit ConfusionMatrix(std::int32_t classes);
  void add(std::int32_t label, std::int32_t prediction);

  const ClassCounts& counts() const { return counts_; }
  std::int64_t count(std::int32_t label, std::int32_t prediction) const;
  // The cells that are not 0, by label, then prediction.
  struct Cell {
    std::int32_t label, prediction;
    std::int64_t count;
  };
  std::vector<Cell> cells() const;
  // use(label, counts of all predictions) for each label in order.
  void for_each_row(
      const std::function<void(std::int32_t label, std::span<const std::int64_t> counts)>& use) const;

 private:
  std::uint64_t cell(std::int32_t label, std::int32_t prediction) const;

  ClassCounts counts_;
  std::unordered_map<std::uint64_t, std::int64_t> cells_;  // most pairs of many classes never occur
};

// The area under the receiver operating characteristic, by trapezoids: the share of pairs of a positive and
// a negative whose positive has the greater score, ties counting half. Exact up to one division. Nothing
// where one of the two is missing. Throws Error where a score is not a number or the spans differ in size.
std::optional<double> roc_auc(std::span<const std::uint8_t> is_positive, std::span<const double> scores);

// Mean of -ln(p) over the probabilities that the right classes were given, each kept at least 2^-52 away from
// 0. NaN of no samples. Throws Error for a probability outside [0, 1].
double log_loss(std::span<const double> probability_of_label);

// With more classes than these, the share of examples whose class is among the most probable says something.
inline constexpr std::int32_t kTopClasses = 5;

// What a model gives to each class, and the class that is right: eight bytes an example, seventeen of two
// classes.
class ClassMeasure {
 public:
  // Throws Error where there are no classes.
  explicit ClassMeasure(std::int32_t classes) : counts_(classes) {}
  // Returns the prediction: the class of the greatest probability, of equals the first. Throws Error where
  // there is not one for each class, one is not in [0, 1], or the label is no class.
  std::int32_t add(std::int32_t label, std::span<const Real> probabilities);
  // Keeps the memory.
  void clear();

  const ClassCounts& counts() const { return counts_; }
  double loss() const { return log_loss(of_label_); }
  // The area under the ROC curve of two classes, the second being the positive one; nothing where one is
  // missing.
  std::optional<double> auc() const;
  // The share whose class is among the five of the greatest probabilities, of equals the first ("top-5");
  // nothing of no samples, and of up to five classes.
  std::optional<double> top5_accuracy() const;

 private:
  ClassCounts counts_;
  std::int64_t in_top_ = 0;
  std::vector<double> of_label_, of_second_;
  std::vector<std::uint8_t> is_second_;
};

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
