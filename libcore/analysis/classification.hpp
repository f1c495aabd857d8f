// How good guesses of classes are. Classes count from 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headwater {

// Of one class; a share of nothing is 0.
struct ClassScores {
  double precision = 0;  // of those guessed to be of the class, how many are
  double recall = 0;     // of those that are, how many were guessed
  double f1 = 0;         // harmonic mean of the two
  std::int64_t samples = 0, guesses = 0;
};

// How often class `label` was taken for class `guess`.
class ConfusionMatrix {
 public:
  // Throws Error where there are no classes.
  explicit ConfusionMatrix(std::int32_t classes);
  // Throws Error where a class is not in [0, classes).
  void add(std::int32_t label, std::int32_t guess);

  std::int32_t classes() const { return classes_; }
  std::int64_t samples() const { return samples_; }
  std::int64_t count(std::int32_t label, std::int32_t guess) const;

  double accuracy() const;  // NaN of no samples, as are the next two
  ClassScores scores(std::int32_t of_class) const;
  // The mean F1 of the classes that are or were guessed at all.
  double macro_f1() const;

 private:
  std::int32_t classes_;
  std::int64_t samples_ = 0;
  std::vector<std::int64_t> counts_;  // [label, guess]
};

// The area under the receiver operating characteristic, by trapezoids: the share of pairs of a positive and
// a negative whose positive has the greater score, ties counting half. Exact up to one division. Nothing
// where one of the two is missing. Throws Error where a score is not a number or the spans differ in size.
std::optional<double> roc_auc(std::span<const std::uint8_t> is_positive, std::span<const double> scores);

// Mean of -ln(p) over the probabilities that the right classes were given, each kept at least 2^-52 away from
// 0. NaN of no samples. Throws Error for a probability outside [0, 1].
double log_loss(std::span<const double> probability_of_label);

}  // namespace headwater
