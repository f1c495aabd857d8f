// The columns of output layers that are those of some tokens, where a text may consist of these alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/ensemble.hpp"
#include "tensor/arena.hpp"
#include "tensor/kernels/argmax/argmax.hpp"

namespace headwater {

class CandidateColumns {
 public:
  // `ids`: the tokens, ascending. The columns lie in the arena.
  CandidateColumns(const DecodingModels& models, std::vector<std::int32_t> ids, Arena& arena);

  // top_of_mean over these columns instead of all: the rows of `hidden` are those of `banned` from
  // `first_row` on.
  void top(std::span<const ConstMatrix> hidden, const kernels::BannedColumns& banned, Index first_row,
           Index count, std::span<kernels::TopLogit> top, std::span<Real> log_sums, Arena& arena) const;

 private:
  friend void mask(std::span<const CandidateColumns* const> of_rows, const Matrix& logits);

  void add(const DecodingModel& model, Arena& arena);

  std::vector<std::int32_t> ids_;
  std::vector<std::vector<Real>> biases_;
  std::vector<OutputColumns> columns_;  // of each model
};

// Where there are some, for each row: the logits of all other tokens become -infinity.
void mask(std::span<const CandidateColumns* const> of_rows, const Matrix& logits);

}  // namespace headwater
