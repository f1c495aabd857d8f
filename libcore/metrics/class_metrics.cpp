#include "metrics/class_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double share(std::int64_t part, std::int64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

ClassCounts::ClassCounts(std::int32_t classes) {
  if (classes < 1) throw Error("classes: there are none");
  for (std::vector<std::int64_t>* counts : {&right_, &samples_, &predictions_}) counts->assign(classes, 0);
}

void ClassCounts::add(std::int32_t label, std::int32_t prediction) {
  for (const std::int32_t c : {label, prediction}) {
    if (c < 0 || c >= classes()) {
      throw Error("class " + std::to_string(c) + " is not in 0 .. " + std::to_string(classes() - 1));
    }
  }
  if (label == prediction) ++right_[label];
  ++samples_[label];
  ++predictions_[prediction];
  ++sample_count_;
}

double ClassCounts::accuracy() const {
  const std::int64_t right = std::accumulate(right_.begin(), right_.end(), std::int64_t{0});
  return sample_count_ == 0 ? kNaN : share(right, sample_count_);
}

ClassScores ClassCounts::scores(std::int32_t of_class) const {
  const std::size_t c = of_class;
  const std::int64_t right = right_.at(c);
  return {.precision = share(right, predictions_[c]),
          .recall = share(right, samples_[c]),
          .f1 = share(2 * right, samples_[c] + predictions_[c]),
          .support = samples_[c],
          .predicted = predictions_[c]};
}

double ClassCounts::macro_f1() const {
  double sum = 0;  // a class without samples and predictions has 0
  for (std::int32_t c = 0; c < classes(); ++c) sum += scores(c).f1;
  const std::int64_t used = classes_of_macro_f1();
  return used == 0 ? kNaN : sum / static_cast<double>(used);
}

std::int64_t ClassCounts::classes_of_macro_f1() const {
  std::int64_t used = 0;
  for (std::size_t c = 0; c < samples_.size(); ++c) used += samples_[c] + predictions_[c] > 0 ? 1 : 0;
  return used;
}

ConfusionMatrix::ConfusionMatrix(std::int32_t classes) : counts_(classes) {}

std::uint64_t ConfusionMatrix::cell(std::int32_t label, std::int32_t prediction) const {
  return static_cast<std::uint64_t>(label) * static_cast<std::uint64_t>(counts_.classes()) +
         static_cast<std::uint64_t>(prediction);
}

void ConfusionMatrix::add(std::int32_t label, std::int32_t prediction) {
  counts_.add(label, prediction);
  ++cells_[cell(label, prediction)];
}

std::int64_t ConfusionMatrix::count(std::int32_t label, std::int32_t prediction) const {
  const auto found = cells_.find(cell(label, prediction));
  return found == cells_.end() ? 0 : found->second;
}

std::vector<ConfusionMatrix::Cell> ConfusionMatrix::cells() const {
  const auto classes = static_cast<std::uint64_t>(counts_.classes());
  std::vector<Cell> cells;
  cells.reserve(cells_.size());
  for (const auto& [at, count] : cells_)
    cells.push_back(
        {static_cast<std::int32_t>(at / classes), static_cast<std::int32_t>(at % classes), count});
  std::ranges::sort(cells, [](const Cell& a, const Cell& b) {
    return a.label != b.label ? a.label < b.label : a.prediction < b.prediction;
  });
  return cells;
}

void ConfusionMatrix::for_each_row(
    const std::function<void(std::int32_t, std::span<const std::int64_t>)>& use) const {
  const std::vector<Cell> cells = this->cells();
  std::vector<std::int64_t> row(counts_.classes());
  auto cell = cells.begin();
  for (std::int32_t label = 0; label < counts_.classes(); ++label) {
    std::ranges::fill(row, 0);
    for (; cell != cells.end() && cell->label == label; ++cell) row[cell->prediction] = cell->count;
    use(label, row);
  }
}

std::optional<double> roc_auc(std::span<const std::uint8_t> is_positive, std::span<const double> scores) {
  if (is_positive.size() != scores.size()) {
    throw Error("roc auc: " + std::to_string(is_positive.size()) + " labels, but " +
                std::to_string(scores.size()) + " scores");
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) throw Error("roc auc: score " + std::to_string(i) + " is not a number");
  }
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  // Twice the number of pairs in the right order, so that a tie's half is a whole number.
  std::uint64_t pairs = 0, positives = 0, negatives = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::uint64_t tied_positives = 0, tied_negatives = 0;
    std::size_t end = begin;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      ++(is_positive[order[end]] != 0 ? tied_positives : tied_negatives);
    }
    pairs += tied_positives * (2 * negatives + tied_negatives);
    positives += tied_positives;
    negatives += tied_negatives;
    begin = end;
  }
  if (positives == 0 || negatives == 0) return std::nullopt;
  return static_cast<double>(pairs) / (2 * static_cast<double>(positives) * static_cast<double>(negatives));
}

double log_loss(std::span<const double> probability_of_label) {
  double sum = 0;
  for (const double p : probability_of_label) {
    if (!(p >= 0 && p <= 1)) throw Error("log loss: a probability of " + std::to_string(p));
    sum -= std::log(std::max(p, std::numeric_limits<double>::epsilon()));
  }
  return probability_of_label.empty() ? kNaN : sum / static_cast<double>(probability_of_label.size());
}

std::int32_t ClassMeasure::add(std::int32_t label, std::span<const Real> probabilities) {
  if (probabilities.size() != static_cast<std::size_t>(counts_.classes())) {
    throw Error("class probabilities: " + std::to_string(probabilities.size()) + " of " +
                std::to_string(counts_.classes()) + " classes");
  }
  for (const Real p : probabilities) {
    if (!(p >= 0 && p <= 1)) throw Error("class probabilities: " + std::to_string(p) + " is none");
  }
  const auto greatest = std::max_element(probabilities.begin(), probabilities.end());
  const auto prediction = static_cast<std::int32_t>(greatest - probabilities.begin());
  counts_.add(label, prediction);
  const Real of_label = probabilities[label];
  const auto before = probabilities.begin() + label;
  const auto greater = std::count_if(probabilities.begin(), before, [&](Real p) { return p >= of_label; }) +
                       std::count_if(before, probabilities.end(), [&](Real p) { return p > of_label; });
  in_top_ += greater < kTopClasses ? 1 : 0;
  of_label_.push_back(static_cast<double>(of_label));
  if (counts_.classes() == 2) {
    of_second_.push_back(static_cast<double>(probabilities[1]));
    is_second_.push_back(label == 1 ? 1 : 0);
  }
  return prediction;
}

void ClassMeasure::clear() {
  counts_ = ClassCounts(counts_.classes());
  in_top_ = 0;
  of_label_.clear();
  of_second_.clear();
  is_second_.clear();
}

std::optional<double> ClassMeasure::auc() const {
  if (counts_.classes() != 2) return std::nullopt;
  return roc_auc(is_second_, of_second_);
}

std::optional<double> ClassMeasure::top5_accuracy() const {
  if (counts_.classes() <= kTopClasses || counts_.samples() == 0) return std::nullopt;
  return static_cast<double>(in_top_) / static_cast<double>(counts_.samples());
}

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
