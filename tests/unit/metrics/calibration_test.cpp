#include "metrics/calibration.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "error_text.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

struct Example {
  std::vector<Real> p;
  std::int32_t label;
};

double uniform(std::uint64_t element) {
  return static_cast<double>(random_uniform({.seed = 3, .purpose = Purpose::sample}, element));
}

// Rows of softmax(logits · sharpness) whose labels are drawn from softmax(logits): the right temperature is
// the sharpness.
std::vector<Example> examples(int count, double sharpness) {
  std::vector<Example> all;
  std::uint64_t n = 0;
  for (int i = 0; i < count; ++i) {
    double logits[3], sharp = 0, plain = 0;
    for (double& z : logits) z = 4 * uniform(n++) - 2;
    for (const double z : logits) sharp += std::exp(sharpness * z), plain += std::exp(z);
    Example& e = all.emplace_back(Example{{}, 2});
    double left = uniform(n++) * plain;
    for (std::int32_t c = 0; c < 3; ++c) {
      e.p.push_back(static_cast<Real>(std::exp(sharpness * logits[c]) / sharp));
      if (left >= 0 && left < std::exp(logits[c])) e.label = c;
      left -= std::exp(logits[c]);
    }
  }
  return all;
}

double loss_at(const std::vector<Example>& all, double temperature) {
  double sum = 0;
  for (const Example& e : all) {
    double total = 0;
    for (const Real p : e.p) total += std::pow(static_cast<double>(p), 1 / temperature);
    sum -= std::log(std::pow(static_cast<double>(e.p[e.label]), 1 / temperature) / total);
  }
  return sum;
}

}  // namespace

TEST_CASE("calibration: bins are open below and closed above; the error is Guo et al.'s sum") {
  Calibration calibration;
  CHECK(std::isnan(calibration.expected_error()));
  calibration.add(0, false);
  calibration.add(1.0 / 15, true);
  calibration.add(0.5, true);
  calibration.add(0.52, false);
  calibration.add(1, true);
  CHECK(calibration.bins()[0].samples == 2);
  CHECK(calibration.bins()[7].samples == 2);
  CHECK(calibration.bins()[7].right == 1);
  CHECK(calibration.bins()[14].samples == 1);
  // |1/2 - 1/30| · 2/5 + |1/2 - 0.51| · 2/5 + 0 · 1/5
  CHECK(calibration.expected_error() == doctest::Approx(0.4 * (0.5 - 1.0 / 30) + 0.4 * 0.01));
  CHECK(error_text([&] { calibration.add(NAN, true); }).starts_with("calibration: a probability of "));
}

TEST_CASE("a fitted temperature is the one that labels were drawn with, and of least loss") {
  for (const double sharpness : {0.5, 1.0, 3.0}) {
    const std::vector<Example> all = examples(4000, sharpness);
    TemperatureFit fit;
    for (const Example& e : all) fit.add(e.label, e.p);
    const double temperature = fit.fit();
    CHECK(temperature == doctest::Approx(sharpness).epsilon(0.06));
    CHECK(loss_at(all, temperature) <= loss_at(all, temperature * 1.002));
    CHECK(loss_at(all, temperature) <= loss_at(all, temperature / 1.002));
  }
}

TEST_CASE("temperatures: the formula, 1 without a change, bounds, zero probabilities") {
  std::vector<Real> p = {Real(0.7), Real(0.2), Real(0.1), Real(1), Real(0), Real(0)};
  const std::vector<Real> before = p;
  const Matrix rows(p.data(), 2, 3);
  apply_temperature(rows, 1);
  CHECK(p == before);
  apply_temperature(rows, 2);
  const double total = std::sqrt(0.7) + std::sqrt(0.2) + std::sqrt(0.1);
  CHECK(static_cast<double>(p[0]) == doctest::Approx(std::sqrt(0.7) / total).epsilon(1e-5));
  CHECK(static_cast<double>(p[2]) == doctest::Approx(std::sqrt(0.1) / total).epsilon(1e-5));
  CHECK(p[3] > Real(0.99));
  for (const double bad : {0.0, -1.0, 20.1, static_cast<double>(NAN)})
    CHECK(error_text([&] { apply_temperature(rows, bad); }).starts_with("--temperature: "));
  TemperatureFit sure, wrong;
  sure.add(0, std::vector<Real>{Real(0.9), Real(0.1)});
  CHECK(sure.fit() == kLeastTemperature);
  wrong.add(1, std::vector<Real>{Real(0.9), Real(0.1)});
  CHECK(wrong.fit() == kGreatestTemperature);
  CHECK(error_text([] { (void)TemperatureFit().fit(); }) == "no lines (a measure needs at least one)");
  CHECK(error_text([&] { sure.add(2, std::vector<Real>{1, 0}); }).starts_with("temperature: label 2"));
}
