// The figures of a classifier as tables and as JSON, from what it predicted; what it takes for what, and how
// right its confidence is, as pictures (class_pictures.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/calibration.hpp"
#include "metrics/class_metrics.hpp"
#include "reports/score_report.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

struct ClassificationReport {
  std::vector<std::string> labels;  // the names of the classes, in their order
  ConfusionMatrix confusion;
  std::optional<double> loss;     // log loss, where probabilities are known
  std::optional<double> roc_auc;  // of two classes, the second being the positive one
  // From the predicted labels' probabilities, where they are known.
  std::optional<Calibration> calibration{};
  std::optional<double> top5_accuracy{};  // of a model of more than five classes
  std::vector<ScoreRow> of_data{};        // figures of what was read, which come last
  std::int64_t truncated_lines = 0;       // of a model of texts

  // Loss, accuracy, those of class_metrics() that are defined here, and those of the data. Words of `metrics`
  // that are not among these are passed over; none: all.
  std::vector<ScoreRow> rows(const std::vector<std::string>& metrics = {}) const;
  // Those rows, the scores of each class and, for up to 20 classes, the confusion matrix.
  std::string text() const;
  // One object a line, some text at a time: the rows; one of each class; the confusion matrix.
  void write_json(const std::function<void(std::string_view)>& take) const;
};

// What a model gives to each class, by the names of the classes (ClassMeasure says more).
class ClassProbabilities {
 public:
  // In the order of their probabilities. Throws Error where there are none.
  explicit ClassProbabilities(std::vector<std::string> labels);
  void add(std::int32_t label, std::span<const Real> probabilities);
  // Throws Error where there were no examples.
  ClassificationReport finish() const;

 private:
  std::vector<std::string> labels_;
  ConfusionMatrix confusion_;
  ClassMeasure measure_;
  Calibration calibration_;
};

// Guesses and labels by name, as lines: at most 28 bytes an example.
class LabelledPredictions {
 public:
  // White space around labels is no part of them. `prediction`: a label, or a label, TAB, its probability,
  // then further such pairs, the right label's among them at best (classify --top); anything else after a
  // second TAB is passed over. Throws Error " what (fix)" to be put after the place of the line.
  void add(std::string_view prediction, std::string_view label);
  // The classes are all predictions and labels that occur: decimal numbers by value, others by their bytes.
  // Where every prediction has its probability, the calibration follows, and of two classes the loss and the
  // ROC AUC; of more the loss where every line has a probability of the right label. Throws Error where there
  // were no lines, or no predicted label is among the right ones.
  ClassificationReport finish() const;
  // Which predicted labels are not among the right ones, in words; empty where all are.
  std::string note() const;

 private:
  struct Names {
    std::vector<std::string> right, strange;  // by their bytes; strange: predicted, but never right
    bool is_any_known = false;                // a label is right somewhere and predicted somewhere
  };
  Names names() const;
  std::int32_t id_of(std::string_view name);

  WordTable names_;  // id + 1, in the order in which they came
  std::vector<std::int32_t> labels_, predictions_;
  std::vector<double> probabilities_;
  std::vector<double> of_label_;  // of the right label; -1 where the line does not say
};

// CSV: a line of the predicted labels after an empty field, then a line for each label with the samples that
// were predicted to be each; some text at a time.
void write_confusion_csv(const ClassificationReport& report,
                         const std::function<void(std::string_view)>& take);

constexpr std::size_t kMaxConfusionClasses = 500;  // of a picture
// An SVG 1.1 document: a row for each label, a column for each predicted one, the colour the share of the
// row. Up to 20 classes have their counts written into the cells; counts that are not 0 have tooltips, where
// these are not too many. Throws Error for more classes than a picture can show.
std::string confusion_svg(const ClassificationReport& report, std::string_view title);

// The reliability diagram, how often predictions of a confidence are right. An SVG picture without scripts: a
// bar a bin from 0 to its share of right predictions, the gap to its mean confidence, the diagonal where both
// agree, and below how many samples a bin has.
std::string reliability_svg(const Calibration& calibration, std::string_view title);

}  // namespace headwater
