// Models that choose the next token together: one, or several with one vocabulary. The log-probability of a
// token is the mean of the models' ones, as in Marian. It is the mean of their logits, less the mean of their
// ln Σ exp(logit), so a search among means needs no more than a search among logits.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "layers/packed_weights.hpp"
#include "models/cached_model.hpp"
#include "tensor/arena.hpp"
#include "tensor/kernels/argmax/argmax.hpp"

namespace headwater {

// Columns of a model's output layer.
struct OutputColumns {
  kernels::PackedWeight weight;
  const Real* bias;  // or null
};

// A model that decodes, and its weights in the order in which steps read them.
struct DecodingModel {
  explicit DecodingModel(const CachedModel& of, ComputeType type);
  OutputColumns output() const;

  const CachedModel& model;
  PackedWeights packed;
  double largest_hidden;  // Euclidean length of a row for which all logits are finite
};
// All have the same positions and as many tokens.
using DecodingModels = std::vector<std::unique_ptr<const DecodingModel>>;

// The mean of the models' logits, in the arena, and of what `sum` gives for the logits of each. hidden[m]:
// what the columns of model m read. Of one model these are its own.
using SumLogits = std::function<void(const Matrix& logits, std::span<Real> log_sums)>;
Matrix mean_logits(std::span<const ConstMatrix> hidden, std::span<const OutputColumns> columns,
                   const SumLogits& sum, std::span<Real> log_sums, Arena& arena);

// kernels::linear_top of the mean.
void top_of_mean(std::span<const ConstMatrix> hidden, std::span<const OutputColumns> columns,
                 const kernels::BannedColumns& banned, Index count, std::span<kernels::TopLogit> top,
                 std::span<Real> log_sums, Arena& arena);

}  // namespace headwater
