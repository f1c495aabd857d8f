#include "training/logistic_regression.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "support/error.hpp"
#include "support/math_functions.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"

namespace headwater {

namespace {

using Numbers = std::vector<double>;

constexpr std::int64_t kExamplesATask = 64, kFeaturesATask = 64;

std::int64_t tasks_of(std::int64_t count, std::int64_t a_task) { return (count + a_task - 1) / a_task; }

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double largest(const Numbers& a) {
  double most = 0;
  for (const double x : a) most = std::max(most, std::abs(x));
  return most;
}

// a + t · b
Numbers moved(const Numbers& a, double t, const Numbers& b) {
  Numbers to(a);
  for (std::size_t i = 0; i < a.size(); ++i) to[i] += t * b[i];
  return to;
}

// log(1 + e^x)
double softplus(double x) { return std::max(x, 0.0) + natural_logarithm(1 + exponential(-std::abs(x))); }

// The last steps and the changes of the gradient along them.
class History {
 public:
  void add(Numbers step, Numbers change) {
    constexpr std::size_t kKept = 10;
    const double curvature = dot(step, change);
    if (!(curvature > 0)) return;
    pairs_.push_back({std::move(step), std::move(change), curvature});
    if (pairs_.size() > kKept) pairs_.pop_front();
  }

  bool is_empty() const { return pairs_.empty(); }

  // -H · gradient (Nocedal and Wright 2006, algorithm 7.4).
  Numbers direction(const Numbers& gradient) const {
    Numbers q(gradient);
    std::vector<double> shares(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      shares[i] = dot(pairs_[i].step, q) / pairs_[i].curvature;
      q = moved(q, -shares[i], pairs_[i].change);
    }
    if (!pairs_.empty()) {
      const Pair& last = pairs_.back();
      const double scale = last.curvature / dot(last.change, last.change);
      for (double& x : q) x *= scale;
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double back = dot(pairs_[i].change, q) / pairs_[i].curvature;
      q = moved(q, shares[i] - back, pairs_[i].step);
    }
    for (double& x : q) x = -x;
    return q;
  }

 private:
  struct Pair {
    Numbers step, change;
    double curvature;
  };
  std::deque<Pair> pairs_;
};

struct Point {
  Numbers weights, gradient;
  LogisticValue at;
};

// A point along `direction` where the slope is far smaller, by halving: the function is convex, so slopes
// rise.
Point line_search(LogisticFunction& function, const Point& from, const Numbers& direction, double step) {
  const double slope = dot(from.gradient, direction);
  double low = 0, high = std::numeric_limits<double>::infinity();
  Point to;
  for (int trial = 0; trial < 60; ++trial) {
    to.weights = moved(from.weights, step, direction);
    to.gradient.resize(from.gradient.size());
    to.at = function(to.weights, to.gradient);
    const double here = dot(to.gradient, direction);
    const double rounding = 1e-12 * (1 + std::abs(from.at.value));
    if (!(here <= -0.5 * slope) || !(to.at.value <= from.at.value + rounding)) {
      high = step;
    } else if (here < 0.9 * slope) {
      low = step;
    } else {
      break;
    }
    step = std::isinf(high) ? 2 * step : (low + high) / 2;
  }
  return to;
}

// Leaves out the features that no example has, whose weights are zero. Returns those that stay.
std::vector<std::int32_t> compact(LogisticProblem& problem) {
  std::vector<std::int32_t> place(problem.features, -1), kept;
  for (const std::int32_t id : problem.ids) place[id] = 0;
  for (std::size_t f = 0; f < place.size(); ++f) {
    if (place[f] < 0) continue;
    place[f] = static_cast<std::int32_t>(kept.size());
    kept.push_back(static_cast<std::int32_t>(f));
  }
  for (std::int32_t& id : problem.ids) id = place[id];
  problem.features = static_cast<Index>(kept.size());
  return kept;
}

}  // namespace

LogisticFunction::LogisticFunction(const LogisticProblem& problem)
    : problem_(problem),
      begins_(static_cast<std::size_t>(problem.features) + 1),
      example_of_(problem.ids.size()),
      value_of_(problem.ids.size()),
      slopes_(problem.labels.size() * static_cast<std::size_t>(problem.outputs)),
      losses_(problem.labels.size()),
      is_correct_(problem.labels.size()) {
  for (const std::int32_t id : problem.ids) ++begins_[id + 1];
  for (std::size_t f = 1; f < begins_.size(); ++f) begins_[f] += begins_[f - 1];
  std::vector<std::int64_t> next(begins_);
  std::size_t entry = 0;
  for (std::size_t i = 0; i < problem.ends.size(); ++i) {
    for (; entry < static_cast<std::size_t>(problem.ends[i]); ++entry) {
      const std::size_t place = next[problem.ids[entry]]++;
      example_of_[place] = static_cast<std::int32_t>(i);
      value_of_[place] = problem.values[entry];
    }
  }
}

void LogisticFunction::examine(std::span<const double> weights, std::int64_t example) {
  const auto outputs = static_cast<std::size_t>(problem_.outputs), i = static_cast<std::size_t>(example);
  const std::size_t label = problem_.labels[i];
  const std::span z(slopes_.data() + i * outputs, outputs);
  std::copy_n(weights.end() - static_cast<std::ptrdiff_t>(outputs), outputs, z.begin());
  const std::size_t end = problem_.ends[i];
  for (std::size_t e = i == 0 ? 0 : static_cast<std::size_t>(problem_.ends[i - 1]); e < end; ++e) {
    const double x = static_cast<double>(problem_.values[e]);
    const double* const row = weights.data() + static_cast<std::size_t>(problem_.ids[e]) * outputs;
    for (std::size_t k = 0; k < outputs; ++k) z[k] += x * row[k];
  }
  const double s = problem_.class_weights.empty() ? 1 : problem_.class_weights[label];
  if (outputs == 1) {
    is_correct_[i] = static_cast<char>((z[0] > 0) == (label == 1));
    losses_[i] = s * softplus(label == 1 ? -z[0] : z[0]);
    const double e = exponential(-std::abs(z[0]));
    z[0] = s * ((z[0] >= 0 ? 1 / (1 + e) : e / (1 + e)) - static_cast<double>(label));
    return;
  }
  const auto best = std::max_element(z.begin(), z.end());
  is_correct_[i] = static_cast<char>(static_cast<std::size_t>(best - z.begin()) == label);
  const double most = *best, right = z[label];
  double sum = 0;
  for (double& value : z) {
    value = exponential(value - most);
    sum += value;
  }
  losses_[i] = s * (natural_logarithm(sum) + most - right);
  for (double& value : z) value *= s / sum;
  z[label] -= s;
}

LogisticValue LogisticFunction::operator()(std::span<const double> weights, std::span<double> gradient) {
  const std::int64_t examples = problem_.examples();
  const std::size_t outputs = problem_.outputs;
  const double scale = 1 / static_cast<double>(examples), penalty = scale / problem_.C;
  parallel_for(tasks_of(examples, kExamplesATask), [&](std::int64_t task) {
    const std::int64_t end = std::min(examples, (task + 1) * kExamplesATask);
    for (std::int64_t i = task * kExamplesATask; i < end; ++i) examine(weights, i);
  });
  parallel_for(tasks_of(problem_.features, kFeaturesATask), [&](std::int64_t task) {
    const std::int64_t end = std::min(std::int64_t{problem_.features}, (task + 1) * kFeaturesATask);
    for (std::int64_t f = task * kFeaturesATask; f < end; ++f) {
      const std::size_t feature = f;
      double* const to = gradient.data() + feature * outputs;
      std::fill_n(to, outputs, 0.0);
      for (std::size_t e = begins_[feature]; e < static_cast<std::size_t>(begins_[feature + 1]); ++e) {
        const double x = static_cast<double>(value_of_[e]);
        const double* const slopes = slopes_.data() + static_cast<std::size_t>(example_of_[e]) * outputs;
        for (std::size_t k = 0; k < outputs; ++k) to[k] += x * slopes[k];
      }
      for (std::size_t k = 0; k < outputs; ++k)
        to[k] = scale * to[k] + penalty * weights[feature * outputs + k];
    }
  });
  LogisticValue result;
  double* const bias = gradient.data() + gradient.size() - outputs;
  std::fill_n(bias, outputs, 0.0);
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    result.loss += losses_[i];
    result.correct += is_correct_[i];
    for (std::size_t k = 0; k < outputs; ++k) bias[k] += slopes_[i * outputs + k];
  }
  for (std::size_t k = 0; k < outputs; ++k) bias[k] *= scale;
  double squares = 0;
  for (const double w : weights.first(weights.size() - outputs)) squares += w * w;
  result.value = scale * result.loss + penalty / 2 * squares;
  return result;
}

LogisticFit fit_logistic(LogisticProblem problem) {
  const std::size_t outputs = problem.outputs;
  Numbers weights(static_cast<std::size_t>(problem.features + 1) * outputs);
  const std::vector<std::int32_t> kept = compact(problem);
  LogisticFunction function(problem);
  Point point{Numbers(function.size()), Numbers(function.size()), {}};
  point.at = function(point.weights, point.gradient);
  History history;
  std::int64_t iterations = 0;
  for (double slope = largest(point.gradient); !(slope <= kLogisticTolerance);
       slope = largest(point.gradient)) {
    if (iterations++ == kLogisticIterations || !std::isfinite(slope)) {
      throw Error("logistic regression: after " + format_count(iterations - 1) +
                  " iterations a component of the gradient is " + format_number(slope) + ", above " +
                  format_number(kLogisticTolerance) + " (lower model.C)");
    }
    const Numbers direction = history.direction(point.gradient);
    const double first = history.is_empty() ? 1 / std::sqrt(dot(direction, direction)) : 1;
    Point next = line_search(function, point, direction, first);
    history.add(moved(next.weights, -1, point.weights), moved(next.gradient, -1, point.gradient));
    point = std::move(next);
  }
  const auto row = [&](std::size_t f) {
    return point.weights.begin() + static_cast<std::ptrdiff_t>(f * outputs);
  };
  for (std::size_t f = 0; f < kept.size(); ++f) {
    const auto to = static_cast<std::size_t>(kept[f]) * outputs;
    std::copy_n(row(f), outputs, weights.begin() + static_cast<std::ptrdiff_t>(to));
  }
  std::copy_n(row(kept.size()), outputs, weights.end() - static_cast<std::ptrdiff_t>(outputs));
  return {std::move(weights), point.at, iterations};
}

}  // namespace headwater
