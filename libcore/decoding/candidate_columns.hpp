// The columns of an output layer that are those of some tokens, where a text may consist of these alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/parameter.hpp"
#include "layers/output_layer.hpp"
#include "layers/packed_weights.hpp"
#include "tensor/kernels/argmax/argmax.hpp"

namespace headwater {

class CandidateColumns {
 public:
  // `ids`: the tokens, ascending. The columns have the bits of `packed`, weights of the model with this
  // output layer.
  CandidateColumns(const OutputLayer& output, const PackedWeights& packed, std::vector<std::int32_t> ids);

  // kernels::linear_top of x, over these columns instead of all: the rows of x are those of `banned` from
  // `first_row` on.
  void top(ConstMatrix x, const kernels::BannedColumns& banned, Index first_row, Index count,
           std::span<kernels::TopLogit> top, std::span<Real> log_sums) const;

 private:
  friend void mask(std::span<const CandidateColumns* const> of_rows, const Matrix& logits);

  std::vector<std::int32_t> ids_;
  FlatArray panels_;
  std::vector<Real> bias_;
  kernels::PackedWeight weight_;
};

// Where there are some, for each row: the logits of all other tokens become -infinity.
void mask(std::span<const CandidateColumns* const> of_rows, const Matrix& logits);

}  // namespace headwater
