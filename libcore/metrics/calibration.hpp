// Whether probabilities of classes come true as often as they say (Guo et al. 2017, "On calibration of modern
// neural networks").
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/matrix.hpp"

namespace headwater {

// Predictions by their confidence, the probability of the predicted class, in 15 bins of equal width.
class Calibration {
 public:
  static constexpr std::size_t kBins = 15;
  // Confidences above b / 15 and up to (b + 1) / 15.
  struct Bin {
    std::int64_t samples = 0, right = 0;
    double confidence = 0;  // sum over the samples
  };

  // Throws Error for a confidence outside [0, 1].
  void add(double confidence, bool is_right);
  const std::array<Bin, kBins>& bins() const { return bins_; }
  std::int64_t samples() const;
  // The mean over the samples of their bin's |share of right ones - mean confidence|; NaN of no samples.
  double expected_error() const;

 private:
  std::array<Bin, kBins> bins_{};
};

// Temperature scaling: the softmax of log(p) / temperature of each row. 1 changes nothing, not a bit; a
// larger one makes predictions less sure. The most probable class stays the same, but for ties by rounding.
// Throws UsageError where the temperature is not within the bounds.
inline constexpr double kLeastTemperature = 0.05, kGreatestTemperature = 20;
void apply_temperature(Matrix probabilities, double temperature);
void check_temperature(double temperature);

// The temperature of least log loss on examples: keeps all their probabilities.
class TemperatureFit {
 public:
  // Throws Error where the examples differ in the number of classes, or the label is none of them.
  void add(std::int32_t label, std::span<const Real> probabilities);
  // By bisection to four digits, within the bounds above. Throws Error of no examples.
  double fit() const;
  // [examples, classes] as they were added, and their labels.
  const std::vector<Real>& probabilities() const { return probabilities_; }
  const std::vector<std::int32_t>& labels() const { return labels_; }

 private:
  // d loss / d (1 / temperature), summed over the examples.
  double slope(double inverse, std::vector<Real>& scratch) const;

  std::vector<Real> probabilities_;
  std::vector<std::int32_t> labels_;
  std::size_t classes_ = 0;
};

}  // namespace headwater
