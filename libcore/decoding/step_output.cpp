#include "decoding/step_output.hpp"

#include <algorithm>

#include "tensor/kernels/loss/loss.hpp"

namespace headwater {

StepOutput::StepOutput(const DecodingModels& models, std::span<const ConstMatrix> hidden, Arena& arena)
    : models_(models), hidden_(hidden), arena_(arena) {
  for (const auto& model : models) columns_.push_back(model->output());
}

void StepOutput::best(const kernels::BannedColumns& banned, std::span<std::int32_t> ids) const {
  kernels::ArgmaxWeight weight = models_.front()->packed.output();
  if (banned.limit > 0) weight.packed.outputs = std::min(weight.packed.outputs, banned.limit);
  kernels::linear_argmax(hidden_.front(), weight, columns_.front().bias, banned.all, ids);
}

// Among candidates the rows of a prompt at a time.
void StepOutput::top(const kernels::BannedColumns& banned, RowCandidates candidates, Index count,
                     std::span<kernels::TopLogit> top, std::span<Real> log_sums) const {
  if (candidates.empty()) return top_of_mean(hidden_, columns_, banned, count, top, log_sums, arena_);
  std::vector<ConstMatrix> of_prompt;
  for (std::size_t first = 0, end = 0; first < candidates.size(); first = end) {
    while (end < candidates.size() && candidates[end] == candidates[first]) ++end;
    const auto row = static_cast<Index>(first), each = static_cast<Index>(end - first) * count;
    of_prompt.clear();
    for (const ConstMatrix& hidden : hidden_)
      of_prompt.push_back(hidden.rows_between(row, static_cast<Index>(end)));
    candidates[first]->top(of_prompt, banned, row, count, top.subspan(row * count, each),
                           log_sums.subspan(first, end - first), arena_);
  }
}

Matrix StepOutput::logits(RowCandidates candidates, std::span<Real> log_sums) const {
  const auto sum = [&](const Matrix& logits, std::span<Real> sums) {
    mask(candidates, logits);
    kernels::log_sum_exp(logits, sums.data());
  };
  return mean_logits(hidden_, columns_, sum, log_sums, arena_);
}

}  // namespace headwater
