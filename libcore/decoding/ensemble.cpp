#include "decoding/ensemble.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "support/parallel.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

double sum_of_squares(const Parameter& weight) {
  if (weight.value.data != nullptr) return kernels::sum_of_squares(weight.size(), weight.value.data);
  double sum = 0;
  for (Index k = 0, i = 0; k < weight.value.rows; ++k) {
    for (Index output = 0; output < weight.value.cols; ++output, ++i) {
      const double number = static_cast<double>(weight.int8.scales[output]) * weight.int8.bytes[i];
      sum += number * number;
    }
  }
  return sum;
}

// By Cauchy and Schwarz no logit, and no sum on the way to it, exceeds the length of a row times that of the
// weights: a tenth of the largest float leaves room for the bias and for rounding.
double largest_hidden_of(const OutputLayer& output) {
  const double length = std::sqrt(sum_of_squares(output.weight()));
  return 0.1 * static_cast<double>(std::numeric_limits<float>::max()) / std::max(length, 1.0);
}

// to[i] becomes the mean of numbers[m][i]. The sums are doubles, so equal numbers have themselves as mean.
void average(std::span<const std::span<const Real>> numbers, std::span<Real> to) {
  constexpr std::size_t kBlock = 256;
  std::array<double, kBlock> sums;
  const auto models = static_cast<double>(numbers.size());
  for (std::size_t begin = 0; begin < to.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, to.size() - begin);
    sums.fill(0);
    for (const std::span<const Real> of_model : numbers) {
      for (std::size_t i = 0; i < count; ++i) sums[i] += static_cast<double>(of_model[begin + i]);
    }
    for (std::size_t i = 0; i < count; ++i) to[begin + i] = static_cast<Real>(sums[i] / models);
  }
}

}  // namespace

DecodingModel::DecodingModel(const CachedModel& of, ComputeType type)
    : model(of),
      packed(of.parameters(), of.output_layer(), type),
      largest_hidden(largest_hidden_of(of.output_layer())) {}

OutputColumns DecodingModel::output() const {
  return {packed.output().packed, values_or_null(model.output_layer().bias())};
}

Matrix mean_logits(std::span<const ConstMatrix> hidden, std::span<const OutputColumns> columns,
                   const SumLogits& sum, std::span<Real> log_sums, Arena& arena) {
  const Index rows = hidden.front().rows, outputs = columns.front().weight.outputs;
  const Matrix mean = arena.matrix(rows, outputs);
  const ArenaScope scope(arena);
  std::vector<Matrix> logits;
  std::vector<std::span<const Real>> sums;
  for (std::size_t m = 0; m < hidden.size(); ++m) {
    logits.push_back(m == 0 ? mean : arena.matrix(rows, outputs));
    kernels::linear_packed(hidden[m], columns[m].weight, columns[m].bias, kernels::Activation::none,
                           logits[m]);
    const std::span<Real> own = m == 0 ? log_sums : arena.span<Real>(rows);
    sum(logits[m], own);
    sums.emplace_back(own);
  }
  if (hidden.size() == 1) return mean;
  average(sums, log_sums);
  parallel_for(rows, [&](Index row) {
    std::vector<std::span<const Real>> of_row;
    for (const Matrix& of_model : logits)
      of_row.emplace_back(of_model.row(row), static_cast<std::size_t>(outputs));
    average(of_row, {mean.row(row), static_cast<std::size_t>(outputs)});
  });
  return mean;
}

void top_of_mean(std::span<const ConstMatrix> hidden, std::span<const OutputColumns> columns,
                 const kernels::BannedColumns& banned, Index count, std::span<kernels::TopLogit> top,
                 std::span<Real> log_sums, Arena& arena) {
  if (hidden.size() == 1) {
    const OutputColumns& only = columns.front();
    return kernels::linear_top(hidden.front(), only.weight, only.bias, banned, count, top, log_sums);
  }
  const ArenaScope scope(arena);
  const Matrix mean = mean_logits(hidden, columns, kernels::top_log_sums, log_sums, arena);
  kernels::top_logits(mean, banned, count, top);
}

}  // namespace headwater
