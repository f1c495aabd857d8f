#include "training/logistic_regression.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/parallel.hpp"

using namespace headwater;

namespace {

constexpr Index kExamples = 40, kFeatures = 4;

// That of tests/golden/reference/make_logistic.py; zeros are left out, as they are of sparse rows.
LogisticProblem made(std::int32_t classes, double C) {
  LogisticProblem problem{.features = kFeatures, .outputs = classes == 2 ? 1 : classes, .C = C};
  for (Index i = 0; i < kExamples; ++i) {
    bool is_first_positive = false;
    for (Index d = 0; d < kFeatures; ++d) {
      const Index numerator = (i * 7 + d * 13 + i * d * 3) % 17 - 8;
      if (d == 0) is_first_positive = numerator > 0;
      if (numerator == 0) continue;
      problem.ids.push_back(static_cast<std::int32_t>(d));
      problem.values.push_back(static_cast<float>(numerator) / 8);
    }
    problem.ends.push_back(static_cast<std::int64_t>(problem.ids.size()));
    problem.labels.push_back(
        static_cast<std::int32_t>((i * i + i / 3 + (is_first_positive ? 1 : 0)) % classes));
  }
  return problem;
}

std::vector<double> balanced(const LogisticProblem& problem, std::int32_t classes) {
  std::vector<double> weights;
  for (std::int32_t c = 0; c < classes; ++c)
    weights.push_back(
        static_cast<double>(kExamples) /
        static_cast<double>(classes * std::count(problem.labels.begin(), problem.labels.end(), c)));
  return weights;
}

}  // namespace

TEST_CASE("logistic regression: the weights of scikit-learn 1.9.1") {
  struct Row {
    std::int32_t classes;
    double C;
    bool is_balanced;
    std::vector<double> class_weights, wanted;
  };
  const std::vector<Row> rows = {
      {3,
       1,
       false,
       {},
       {-0.36084862, 0.00335742, 0.35749120, -0.23682650, 0.04520374, 0.19162276, 0.11693474, 0.26513767,
        -0.38207241, 0.21460115, -0.13601330, -0.07858786, -0.01240076, -0.10031939, 0.11272016}},
      {3,
       100,
       true,
       {},
       {-0.50852750, 0.04764996, 0.46087754, -0.33723154, 0.08488278, 0.25234875, 0.16792493, 0.31605227,
        -0.48397720, 0.29458003, -0.18688723, -0.10769280, -0.00065854, 0.00839411, -0.00773557}},
      {2, 0.5, false, {}, {0.66916135, 0.01525008, 0.25704403, -0.04099864, -0.08386938}},
      {2, 10, false, {1, 4}, {1.02699824, 0.15412508, 0.49612995, -0.11866645, 1.30019400}}};
  for (const Row& row : rows) {
    LogisticProblem problem = made(row.classes, row.C);
    problem.class_weights = row.is_balanced ? balanced(problem, row.classes) : row.class_weights;
    const LogisticFit fit = fit_logistic(problem);
    REQUIRE(fit.weights.size() == row.wanted.size());
    for (std::size_t i = 0; i < row.wanted.size(); ++i) {
      CAPTURE(i);
      CHECK(std::abs(fit.weights[i] - row.wanted[i]) <= 1e-6);
    }
  }
}

TEST_CASE("logistic regression: the gradient is that of central differences") {
  for (const std::int32_t classes : {2, 3}) {
    LogisticProblem problem = made(classes, 0.3);
    problem.class_weights = {1, 2.5, 0.5};
    LogisticFunction function(problem);
    std::vector<double> weights(function.size()), gradient(function.size()), unused(function.size());
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i * 5 % 7) / 3 - 1;
    function(weights, gradient);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      constexpr double kStep = 1e-5;
      std::vector<double> above(weights), below(weights);
      above[i] += kStep;
      below[i] -= kStep;
      const double slope = (function(above, unused).value - function(below, unused).value) / (2 * kStep);
      CHECK(std::abs(slope - gradient[i]) <= 1e-9);
    }
  }
}

TEST_CASE("logistic regression: one pass over the examples counts those that are right, and their loss") {
  const LogisticProblem problem = made(3, 1);
  LogisticFunction function(problem);
  std::vector<double> gradient(function.size());
  const LogisticValue at_zero = function(std::vector<double>(function.size()), gradient);
  CHECK(at_zero.loss == doctest::Approx(kExamples * 1.0986122886681098));  // ln 3
  CHECK(at_zero.value == doctest::Approx(1.0986122886681098));
  CHECK(at_zero.correct == std::count(problem.labels.begin(), problem.labels.end(), 0));
}

TEST_CASE("logistic regression: any number of threads gives the same bits") {
  LogisticProblem problem{.features = 1000, .outputs = 5, .C = 2};
  for (std::int32_t i = 0; i < 700; ++i) {
    for (std::int32_t e = 0; e < 20; ++e) {
      problem.ids.push_back((i * 31 + e * e * 17 + i * e) % 1000);
      problem.values.push_back(static_cast<float>((i + e) % 9) / 7 - 0.5f);
    }
    problem.ends.push_back(static_cast<std::int64_t>(problem.ids.size()));
    problem.labels.push_back((i * i + i / 7) % 5);
  }
  std::vector<double> one, four;
  ThreadPool(1).run([&] { one = fit_logistic(problem).weights; });
  ThreadPool(4).run([&] { four = fit_logistic(problem).weights; });
  CHECK(one == four);
}
