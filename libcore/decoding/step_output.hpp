// What the output layers of the models make of a step's rows, one a sequence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/candidate_columns.hpp"
#include "decoding/ensemble.hpp"

namespace headwater {

// Of each row, the tokens that alone may follow; empty: all.
using RowCandidates = std::span<const CandidateColumns* const>;

class StepOutput {
 public:
  // hidden[m]: [B, D], what the output layer of model m reads. All are kept by the caller.
  StepOutput(const DecodingModels& models, std::span<const ConstMatrix> hidden, Arena& arena);

  std::size_t models() const { return hidden_.size(); }
  Arena& arena() const { return arena_; }
  // The first of a row's best ids, of one model; logits that cannot be the largest are not computed.
  void best(const kernels::BannedColumns& banned, std::span<std::int32_t> ids) const;
  // top_of_mean among the candidates.
  void top(const kernels::BannedColumns& banned, RowCandidates candidates, Index count,
           std::span<kernels::TopLogit> top, std::span<Real> log_sums) const;
  // All logits, in the arena: -infinity of what is no candidate.
  Matrix logits(RowCandidates candidates, std::span<Real> log_sums) const;

 private:
  const DecodingModels& models_;
  std::span<const ConstMatrix> hidden_;
  std::vector<OutputColumns> columns_;  // all, of each model
  Arena& arena_;
};

}  // namespace headwater
