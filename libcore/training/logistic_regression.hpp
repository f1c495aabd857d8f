// Logistic regression with an L2 penalty, of two classes or of more (multinomial): the least of
// Σ_i s_i · loss_i + ‖W‖² / (2 · C), as scikit-learn's LogisticRegression has it. Biases have no penalty.
// Solved in double by L-BFGS (Liu and Nocedal 1989). Sums have one order: any number of threads gives the
// same bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/matrix.hpp"

namespace headwater {

// Examples as sparse rows: entries from ends[i - 1] to ends[i] - 1.
struct LogisticProblem {
  Index features = 0;
  Index outputs = 0;  // 1: the sigmoid of one output is the probability of label 1; else a softmax over all
  double C = 1;
  std::vector<std::int64_t> ends = {};
  std::vector<std::int32_t> ids = {};  // of features
  std::vector<float> values = {};
  std::vector<std::int32_t> labels = {};
  std::vector<double> class_weights = {};  // s, one a label; none: 1

  std::int64_t examples() const { return static_cast<std::int64_t>(labels.size()); }
};

// The mean over the examples of what is minimised, at `weights`: [features, outputs], then a bias for each
// output. Fills the gradient, of as many numbers.
struct LogisticValue {
  double value = 0;
  double loss = 0;  // Σ_i s_i · loss_i
  std::int64_t correct = 0;
};

class LogisticFunction {
 public:
  explicit LogisticFunction(const LogisticProblem& problem);
  std::size_t size() const { return static_cast<std::size_t>((problem_.features + 1) * problem_.outputs); }
  LogisticValue operator()(std::span<const double> weights, std::span<double> gradient);

 private:
  void examine(std::span<const double> weights, std::int64_t example);

  const LogisticProblem& problem_;
  // The entries of each feature, in the order of the examples.
  std::vector<std::int64_t> begins_;
  std::vector<std::int32_t> example_of_;
  std::vector<float> value_of_;
  std::vector<double> slopes_;  // [examples, outputs]: of the loss by the logits
  std::vector<double> losses_;
  std::vector<char> is_correct_;
};

struct LogisticFit {
  std::vector<double> weights;  // as of LogisticFunction
  LogisticValue at_end;
  std::int64_t iterations = 0;
};
// Until no component of the gradient is above kLogisticTolerance. Throws Error where that takes more than
// kLogisticIterations iterations.
inline constexpr double kLogisticTolerance = 1e-9;
inline constexpr std::int64_t kLogisticIterations = 10000;
LogisticFit fit_logistic(LogisticProblem problem);

}  // namespace headwater
