#include "analysis/classification.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/error.hpp"

namespace headwater {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double share(std::int64_t part, std::int64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::int32_t classes) : classes_(classes) {
  if (classes < 1) throw Error("confusion matrix: no classes");
  counts_.assign(static_cast<std::size_t>(classes) * static_cast<std::size_t>(classes), 0);
}

std::int64_t ConfusionMatrix::count(std::int32_t label, std::int32_t guess) const {
  for (const std::int32_t c : {label, guess}) {
    if (c < 0 || c >= classes_) {
      throw Error("confusion matrix: class " + std::to_string(c) + " is not in 0 .. " +
                  std::to_string(classes_ - 1));
    }
  }
  return counts_[static_cast<std::size_t>(label) * static_cast<std::size_t>(classes_) +
                 static_cast<std::size_t>(guess)];
}

void ConfusionMatrix::add(std::int32_t label, std::int32_t guess) {
  (void)count(label, guess);  // checks both
  ++counts_[static_cast<std::size_t>(label) * static_cast<std::size_t>(classes_) +
            static_cast<std::size_t>(guess)];
  ++samples_;
}

double ConfusionMatrix::accuracy() const {
  std::int64_t right = 0;
  for (std::int32_t c = 0; c < classes_; ++c) right += count(c, c);
  return samples_ == 0 ? kNaN : share(right, samples_);
}

ClassScores ConfusionMatrix::scores(std::int32_t of_class) const {
  ClassScores scores;
  for (std::int32_t other = 0; other < classes_; ++other) {
    scores.samples += count(of_class, other);
    scores.guesses += count(other, of_class);
  }
  const std::int64_t right = count(of_class, of_class);
  scores.precision = share(right, scores.guesses);
  scores.recall = share(right, scores.samples);
  scores.f1 = share(2 * right, scores.samples + scores.guesses);
  return scores;
}

double ConfusionMatrix::macro_f1() const {
  double sum = 0;
  std::int64_t used = 0;
  for (std::int32_t c = 0; c < classes_; ++c) {
    const ClassScores of_class = scores(c);
    if (of_class.samples + of_class.guesses == 0) continue;
    sum += of_class.f1;
    ++used;
  }
  return used == 0 ? kNaN : sum / static_cast<double>(used);
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

}  // namespace headwater
