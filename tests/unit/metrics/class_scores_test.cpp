#include "metrics/class_metrics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "error_text.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

std::uint32_t random_number(std::uint32_t stream, std::uint64_t element) {
  return random_word({.seed = 3, .purpose = Purpose::split, .step = stream}, element);
}

// The definition: all pairs.
double naive_auc(const std::vector<std::uint8_t>& is_positive, const std::vector<double>& scores) {
  double right = 0, pairs = 0;
  for (std::size_t p = 0; p < scores.size(); ++p) {
    for (std::size_t n = 0; n < scores.size(); ++n) {
      if (is_positive[p] == 0 || is_positive[n] != 0) continue;
      pairs += 1;
      right += scores[p] > scores[n] ? 1 : scores[p] == scores[n] ? 0.5 : 0;
    }
  }
  return right / pairs;
}

}  // namespace

TEST_CASE("a confusion matrix of many classes has room for the pairs that occur") {
  ConfusionMatrix matrix(1'000'000);
  for (int i = 0; i < 2; ++i) matrix.add(999'999, 7);
  matrix.add(3, 999'999);
  CHECK(matrix.count(999'999, 7) == 2);
  CHECK(matrix.count(7, 7) == 0);
  const std::vector<ConfusionMatrix::Cell> cells = matrix.cells();
  REQUIRE(cells.size() == 2);
  CHECK(cells[0].label == 3);
  CHECK(cells[1].prediction == 7);
}

TEST_CASE("rows of a confusion matrix hold its cells in their places") {
  ConfusionMatrix matrix(3);
  for (const auto& [label, prediction] : {std::pair{2, 0}, {0, 1}, {2, 0}, {2, 2}})
    matrix.add(label, prediction);
  std::vector<std::vector<std::int64_t>> rows;
  matrix.for_each_row([&](std::int32_t label, std::span<const std::int64_t> counts) {
    CHECK(static_cast<std::size_t>(label) == rows.size());
    rows.emplace_back(counts.begin(), counts.end());
  });
  CHECK(rows == std::vector<std::vector<std::int64_t>>{{0, 1, 0}, {0, 0, 0}, {2, 0, 1}});
}

TEST_CASE("confusion matrix: precision, recall, F1 by counting") {
  for (const std::int32_t classes : {1, 2, 3, 7}) {
    ConfusionMatrix matrix(classes);
    std::vector<std::int32_t> labels, predictions;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const auto drawn = [&](std::uint64_t e) {
        return static_cast<std::int32_t>(random_number(static_cast<std::uint32_t>(classes), e)) & 0x7FFF;
      };
      labels.push_back(drawn(3 * i) % classes);
      predictions.push_back(drawn(3 * i + 1) % 3 == 0 ? drawn(3 * i + 2) % classes : labels.back());
      matrix.add(labels.back(), predictions.back());
    }
    double right = 0, f1_sum = 0;
    for (std::int32_t c = 0; c < classes; ++c) {
      double true_positive = 0, false_positive = 0, false_negative = 0;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        true_positive += labels[i] == c && predictions[i] == c;
        false_positive += labels[i] != c && predictions[i] == c;
        false_negative += labels[i] == c && predictions[i] != c;
      }
      right += true_positive;
      const ClassScores scores = matrix.counts().scores(c);
      const double precision = true_positive / (true_positive + false_positive),
                   recall = true_positive / (true_positive + false_negative);
      CHECK(scores.precision == doctest::Approx(precision).epsilon(1e-14));
      CHECK(scores.recall == doctest::Approx(recall).epsilon(1e-14));
      CHECK(scores.f1 == doctest::Approx(2 * precision * recall / (precision + recall)).epsilon(1e-14));
      CHECK(static_cast<double>(scores.support) == true_positive + false_negative);
      CHECK(static_cast<double>(scores.predicted) == true_positive + false_positive);
      f1_sum += scores.f1;
    }
    CHECK(matrix.counts().accuracy() == doctest::Approx(right / 200).epsilon(1e-14));
    CHECK(matrix.counts().macro_f1() == doctest::Approx(f1_sum / classes).epsilon(1e-14));
  }
}

TEST_CASE("a class that never occurs has no part in macro F1; one never predicted counts 0") {
  ConfusionMatrix matrix(3);
  CHECK(std::isnan(matrix.counts().accuracy()));
  CHECK(std::isnan(matrix.counts().macro_f1()));
  matrix.add(0, 0);
  CHECK(matrix.counts().macro_f1() == 1);
  matrix.add(1, 0);
  CHECK(matrix.counts().scores(1).f1 == 0);
  CHECK(matrix.counts().scores(1).precision == 0);
  CHECK(matrix.counts().macro_f1() == doctest::Approx((2.0 / 3 + 0) / 2));
  CHECK(error_text([&] { matrix.add(3, 0); }) == "class 3 is not in 0 .. 2");
  CHECK(error_text([&] { matrix.add(0, -1); }) == "class -1 is not in 0 .. 2");
}

TEST_CASE("ROC AUC is the share of pairs in the right order, ties counting half") {
  for (const std::uint32_t levels : {1u, 2u, 5u, 100u, 1000000u}) {
    INFO(levels, " different scores");
    std::vector<std::uint8_t> is_positive;
    std::vector<double> scores;
    for (std::uint64_t i = 0; i < 150; ++i) {
      is_positive.push_back(random_number(levels, 2 * i) % 3 == 0 ? 1 : 0);
      scores.push_back((random_number(levels, 2 * i + 1) % levels + 0.2 * is_positive.back()) / levels);
      if (levels < 10) scores.back() = std::floor(scores.back() * levels);
    }
    const auto area = roc_auc(is_positive, scores);
    REQUIRE(area.has_value());
    CHECK(*area == doctest::Approx(naive_auc(is_positive, scores)).epsilon(1e-14));
  }
  const std::vector<std::uint8_t> labels = {0, 1, 1};
  CHECK(roc_auc(labels, std::vector<double>{0.1, 0.2, 0.3}) == 1.0);
  CHECK(roc_auc(labels, std::vector<double>{0.3, 0.2, 0.1}) == 0.0);
  CHECK(roc_auc(labels, std::vector<double>{-0.0, 0.0, INFINITY}) == 0.75);
  CHECK_FALSE(roc_auc(std::vector<std::uint8_t>{1, 1}, std::vector<double>{0.3, 0.2}).has_value());
  CHECK_FALSE(roc_auc({}, {}).has_value());
  CHECK(error_text([&] {
          (void)roc_auc(labels, std::vector<double>{0, NAN, 1});
        }) == "roc auc: score 1 is not a number");
  CHECK(error_text([&] { (void)roc_auc(labels, {}); }) == "roc auc: 3 labels, but 0 scores");
}

TEST_CASE("a measure of probabilities: predictions, ROC AUC of two classes, and a second use") {
  ClassMeasure measure(2);
  CHECK_FALSE(measure.auc().has_value());
  for (int use = 0; use < 2; ++use) {
    measure.clear();
    CHECK(measure.add(1, std::vector<float>{0.25f, 0.75f}) == 1);
    CHECK(measure.add(0, std::vector<float>{0.5f, 0.5f}) == 0);  // of equals the first
    CHECK(measure.add(1, std::vector<float>{0.625f, 0.375f}) == 0);
    CHECK(measure.counts().samples() == 3);
    CHECK(measure.counts().accuracy() == 2.0 / 3);
    CHECK(measure.auc() == 0.5);
    CHECK(measure.loss() == doctest::Approx(-(std::log(0.75) + std::log(0.5) + std::log(0.375)) / 3));
  }
  ClassMeasure three(3);
  three.add(2, std::vector<float>{0.25f, 0.25f, 0.5f});
  CHECK_FALSE(three.auc().has_value());
  CHECK(error_text([&] { three.add(0, std::vector<float>{1}); }) == "class probabilities: 1 of 3 classes");
  CHECK(error_text([&] { three.add(0, std::vector<float>{2, 0, 0}); }).find("2.0") != std::string::npos);
}

TEST_CASE("top-5 accuracy: the definition by sorting, ties to the first, none of five classes") {
  ClassMeasure measure(9);
  CHECK_FALSE(measure.top5_accuracy().has_value());
  int in_top = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::vector<float> probabilities;  // of four values, so that there are ties
    for (std::uint64_t c = 0; c < 9; ++c)
      probabilities.push_back(static_cast<float>(random_number(5, 9 * i + c) % 4) / 4);
    const auto label = static_cast<std::int32_t>(random_number(6, i) % 9);
    std::vector<std::int32_t> order{0, 1, 2, 3, 4, 5, 6, 7, 8};
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return probabilities[a] > probabilities[b]; });
    in_top += std::find(order.begin(), order.begin() + 5, label) != order.begin() + 5 ? 1 : 0;
    measure.add(label, probabilities);
  }
  CHECK(in_top > 100);
  CHECK(in_top < 200);
  CHECK(measure.top5_accuracy() == in_top / 300.0);
  measure.clear();
  measure.add(8, std::vector<float>(9, 0.1f));
  CHECK(measure.top5_accuracy() == 0.0);
  ClassMeasure five(5);
  five.add(0, std::vector<float>(5, 0.2f));
  CHECK_FALSE(five.top5_accuracy().has_value());
}

TEST_CASE("log loss: the mean of -ln p, and finite for a certain error") {
  CHECK(log_loss(std::vector<double>{0.5, 0.25, 1}) == doctest::Approx(std::log(8) / 3).epsilon(1e-15));
  CHECK(log_loss(std::vector<double>{0}) == doctest::Approx(52 * std::log(2)).epsilon(1e-15));
  CHECK(std::isnan(log_loss({})));
  CHECK(error_text([] {
          (void)log_loss(std::vector<double>{1.5});
        }).starts_with("log loss: a probability of 1.5"));
  CHECK(error_text([] { (void)log_loss(std::vector<double>{NAN}); }).starts_with("log loss: "));
}
