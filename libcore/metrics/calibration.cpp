#include "metrics/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "support/error.hpp"
#include "support/math_functions.hpp"
#include "support/numbers.hpp"
#include "tensor/kernels.hpp"

namespace headwater {
namespace {

// The logarithm of a probability, up to a constant its logit. What was rounded to 0 is the smallest number
// above it.
double log_of(Real probability) {
  constexpr double kLeast = 0x1p-149;
  return natural_logarithm(std::max(static_cast<double>(probability), kLeast));
}

}  // namespace

void Calibration::add(double confidence, bool is_right) {
  if (!(confidence >= 0 && confidence <= 1))
    throw Error("calibration: a probability of " + std::to_string(confidence));
  const double place = std::ceil(confidence * static_cast<double>(kBins)) - 1;
  Bin& bin = bins_[static_cast<std::size_t>(std::max(place, 0.0))];
  ++bin.samples;
  bin.right += is_right ? 1 : 0;
  bin.confidence += confidence;
}

std::int64_t Calibration::samples() const {
  std::int64_t sum = 0;
  for (const Bin& bin : bins_) sum += bin.samples;
  return sum;
}

double Calibration::expected_error() const {
  double sum = 0;
  for (const Bin& bin : bins_) sum += std::abs(static_cast<double>(bin.right) - bin.confidence);
  return samples() == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(samples());
}

void check_temperature(double temperature) {
  if (temperature >= kLeastTemperature && temperature <= kGreatestTemperature) return;
  throw UsageError("--temperature: " + format_number(temperature) + " is not from " +
                   format_number(kLeastTemperature) + " to " + format_number(kGreatestTemperature) +
                   " (evaluate --fit-temperature finds one)");
}

void apply_temperature(Matrix probabilities, double temperature) {
  check_temperature(temperature);
  if (temperature == 1) return;
  for (Index i = 0; i < probabilities.rows; ++i) {
    Real* const row = probabilities.row(i);
    for (Index c = 0; c < probabilities.cols; ++c) row[c] = static_cast<Real>(log_of(row[c]) / temperature);
  }
  kernels::softmax(probabilities, probabilities);
}

void TemperatureFit::add(std::int32_t label, std::span<const Real> probabilities) {
  if (labels_.empty()) classes_ = probabilities.size();
  if (probabilities.size() != classes_ || label < 0 || static_cast<std::size_t>(label) >= classes_) {
    throw Error("temperature: label " + std::to_string(label) + " and " +
                std::to_string(probabilities.size()) + " probabilities of " + std::to_string(classes_) +
                " classes");
  }
  probabilities_.insert(probabilities_.end(), probabilities.begin(), probabilities.end());
  labels_.push_back(label);
}

// The loss of a row at inverse b is log Σ exp(b·a) - b·a[label] with a = log p: convex in b, and its slope is
// the mean of a under the tempered probabilities less a[label].
double TemperatureFit::slope(double inverse, std::vector<Real>& scratch) const {
  constexpr std::size_t kRows = 4096;
  double sum = 0;
  for (std::size_t begin = 0; begin < labels_.size(); begin += kRows) {
    const std::size_t count = std::min(kRows, labels_.size() - begin);
    const Real* const from = probabilities_.data() + begin * classes_;
    scratch.resize(count * classes_);
    for (std::size_t i = 0; i < scratch.size(); ++i)
      scratch[i] = static_cast<Real>(log_of(from[i]) * inverse);
    const Matrix rows(scratch.data(), static_cast<Index>(count), static_cast<Index>(classes_));
    kernels::softmax(rows, rows);
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t c = 0; c < classes_; ++c) {
        const double a = log_of(from[r * classes_ + c]);
        sum += static_cast<double>(scratch[r * classes_ + c]) * a;
        if (static_cast<std::int32_t>(c) == labels_[begin + r]) sum -= a;
      }
    }
  }
  return sum;
}

double TemperatureFit::fit() const {
  if (labels_.empty()) throw Error("no lines (a measure needs at least one)");
  std::vector<Real> scratch;
  double least = 1 / kGreatestTemperature, greatest = 1 / kLeastTemperature;
  for (int i = 0; i < 30; ++i) {
    const double middle = std::sqrt(least * greatest);
    (slope(middle, scratch) < 0 ? least : greatest) = middle;
  }
  const double temperature = std::round(1e4 / std::sqrt(least * greatest)) / 1e4;
  return std::clamp(temperature, kLeastTemperature, kGreatestTemperature);
}

}  // namespace headwater
