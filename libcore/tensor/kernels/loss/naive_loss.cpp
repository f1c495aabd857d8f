// The naive form of softmax and cross-entropy, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include <cmath>
#include <vector>

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

using kernels::array_of;

namespace naive {

void softmax(ConstMatrix x, Matrix y) {
  if (x.cols == 0) return;
  for (Index r = 0; r < x.rows; ++r) {
    const auto from = array_of(x.row(r), x.cols);
    auto to = array_of(y.row(r), y.cols);
    to = (from - from.maxCoeff()).exp();
    to /= to.sum();
  }
}

void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx, bool accumulate) {
  if (!accumulate) array_of(dx) = 0;
  array_of(dx) += array_of(y) * (array_of(dy).colwise() - (array_of(y) * array_of(dy)).rowwise().sum());
}

void log_sum_exp(ConstMatrix x, double* y) {
  for (Index r = 0; r < x.rows; ++r) {
    const auto row = array_of(x.row(r), x.cols);
    const double largest = x.cols > 0 ? row.maxCoeff() : -HUGE_VAL;
    y[r] = largest + std::log((row - largest).exp().sum());
  }
}

namespace {

// The targets q = (1 - smoothing)·onehot + smoothing/V give loss = -Σ q·log softmax; its gradient is
// softmax - q.
double cross_entropy_row(ConstMatrix logits, std::int32_t label, double smoothing, double* gradient) {
  const Index V = logits.cols;
  double log_sum = 0;
  log_sum_exp(logits, &log_sum);
  const auto row = array_of(logits.data, V);
  auto slope = array_of(gradient, V);
  slope = (row - log_sum).exp() - smoothing / static_cast<double>(V);
  slope[label] -= 1 - smoothing;
  return log_sum - (1 - smoothing) * row[label] - smoothing * row.mean();
}

// (KL(p || q) + KL(q || p)) / 2 of two rows of logits; its gradient times `weight` is added to their slopes.
double mean_divergence(ConstMatrix logits, double weight, Matrix slopes) {
  double log_sums[2];
  log_sum_exp(logits, log_sums);
  const Eigen::ArrayXd log_p = array_of(logits.row(0), logits.cols) - log_sums[0],
                       log_q = array_of(logits.row(1), logits.cols) - log_sums[1], p = log_p.exp(),
                       q = log_q.exp(), u = log_p - log_q;
  const double forward = (p * u).sum(), reverse = -(q * u).sum();
  array_of(slopes.row(0), slopes.cols) += weight / 2 * (p * (u - forward) + p - q);
  array_of(slopes.row(1), slopes.cols) += weight / 2 * (q * (-u - reverse) + q - p);
  return (forward + reverse) / 2;
}

}  // namespace

kernels::CrossEntropyTotals linear_cross_entropy(ConstMatrix h, ConstMatrix w, bool is_transposed,
                                                 const double* bias, std::span<const std::int32_t> labels,
                                                 double smoothing, double loss_scale,
                                                 const CrossEntropyGradients* gradients,
                                                 std::span<const double> class_weights, double r_drop) {
  const Index V = is_transposed ? w.rows : w.cols;
  std::vector<double> logits(h.rows * V), slopes(logits.size());
  linear(h, w, is_transposed, bias, Activation::none, {logits.data(), h.rows, V}, {});
  kernels::CrossEntropyTotals totals;
  totals.tokens = h.rows;
  for (Index t = 0; t < h.rows; ++t) {
    const std::int32_t label = labels[t];
    const ConstMatrix row(logits.data() + t * V, 1, V);
    const double weight = class_weights.empty() ? 1 : class_weights[label];
    totals.loss += weight * cross_entropy_row(row, label, smoothing, slopes.data() + t * V);
    array_of(slopes.data() + t * V, V) *= weight;
    Index largest = 0;
    array_of(row.data, V).maxCoeff(&largest);
    totals.correct += largest == label;
  }
  const Matrix d(slopes.data(), h.rows, V);
  for (Index t = 0; r_drop != 0 && t < h.rows; t += 2) {
    const Matrix two_rows(logits.data() + t * V, 2, V);
    totals.loss += r_drop * mean_divergence(two_rows, r_drop, d.rows_between(t, t + 2));
  }
  if (!gradients) return totals;
  array_of(d) *= loss_scale;
  if (is_transposed) {
    linear(d, w, false, nullptr, Activation::none, gradients->dh, {});
    linear_backward_weight(d, h, gradients->dw, nullptr, gradients->accumulate_weight);
    if (gradients->db) {
      auto db = array_of(gradients->db, V);
      if (!gradients->accumulate_bias) db = 0;
      db += array_of(d).colwise().sum();
    }
  } else {
    linear_backward_input(d, w, gradients->dh, false);
    linear_backward_weight(h, d, gradients->dw, gradients->db, gradients->accumulate_weight);
  }
  return totals;
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void softmax(ConstMatrix x, Matrix y) { naive::softmax(x, y); }
void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx, bool accumulate) {
  naive::softmax_backward(y, dy, dx, accumulate);
}
void log_sum_exp(ConstMatrix x, Real* y) { naive::log_sum_exp(x, y); }

Index cross_entropy_block_rows(const ReductionTree&, Index) { return 0; }
Index cross_entropy_scratch_rows(const ReductionTree&, Index) { return 0; }
CrossEntropyTotals linear_cross_entropy(ConstMatrix h, ConstMatrix w, bool is_transposed, const Real* bias,
                                        std::span<const std::int32_t> labels, Real label_smoothing,
                                        Real loss_scale, const ReductionTree&, Matrix,
                                        CrossEntropyGradients* gradients, std::span<const Real> class_weights,
                                        Real r_drop) {
  naive::CrossEntropyGradients wanted;
  if (gradients) {
    wanted = {gradients->dh, gradients->dw, gradients->db, gradients->accumulate_weight,
              gradients->accumulate_bias};
  }
  return naive::linear_cross_entropy(h, w, is_transposed, bias, labels, label_smoothing, loss_scale,
                                     gradients ? &wanted : nullptr, class_weights, r_drop);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
