#include "decoding/candidate_columns.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace headwater {

CandidateColumns::CandidateColumns(const DecodingModels& models, std::vector<std::int32_t> ids, Arena& arena)
    : ids_(std::move(ids)) {
  for (const auto& model : models) add(*model, arena);
}

void CandidateColumns::add(const DecodingModel& model, Arena& arena) {
  const OutputLayer& output = model.model.output_layer();
  const Index inputs = output.inputs(), count = std::ssize(ids_);
  const OutputColumns all = model.output();
  std::vector<Real>& bias = biases_.emplace_back();
  for (std::size_t i = 0; i < ids_.size() && all.bias != nullptr; ++i) bias.push_back(all.bias[ids_[i]]);
  OutputColumns& own = columns_.emplace_back();
  own.bias = all.bias == nullptr ? nullptr : bias.data();
  if (all.weight.int8.bytes != nullptr) {
    own.weight = kernels::int8_columns(all.weight, ids_,
                                       arena.allocate_array<Real>(kernels::int8_size(inputs, count)));
    return;
  }
  const Matrix& weight = output.weight().value;
  Real* const panels = arena.allocate_array<Real>(kernels::packed_size(inputs, count));
  if (output.is_tied()) {
    own.weight = kernels::pack_weight_transposed(weight, panels, ids_);
    return;
  }
  const ArenaScope scope(arena);
  const Matrix rows = arena.matrix(count, inputs);  // a row a token
  for (Index i = 0; i < count; ++i) {
    for (Index k = 0; k < inputs; ++k) rows.row(i)[k] = weight.row(k)[ids_[i]];
  }
  own.weight = kernels::pack_weight_transposed(rows, panels);
}

void CandidateColumns::top(std::span<const ConstMatrix> hidden, const kernels::BannedColumns& banned,
                           Index first_row, Index count, std::span<kernels::TopLogit> top,
                           std::span<Real> log_sums, Arena& arena) const {
  std::vector<std::int32_t> columns;
  std::vector<Index> offsets{0};
  const auto ban = [&](std::int32_t id) {
    const auto at = std::ranges::lower_bound(ids_, id);
    if (at != ids_.end() && *at == id) columns.push_back(static_cast<std::int32_t>(at - ids_.begin()));
  };
  for (Index row = first_row; row < first_row + hidden.front().rows; ++row) {
    std::ranges::for_each(banned.all, ban);
    if (!banned.offsets.empty()) {
      const std::size_t r = row;
      for (Index i = banned.offsets[r]; i < banned.offsets[r + 1]; ++i) ban(banned.columns[i]);
    }
    offsets.push_back(std::ssize(columns));
  }
  const auto beyond = banned.limit > 0 ? std::ranges::lower_bound(ids_, banned.limit) : ids_.end();
  const Index limit = beyond - ids_.begin();
  top_of_mean(hidden, columns_, {.offsets = offsets, .columns = columns, .limit = limit}, count, top,
              log_sums, arena);
  for (kernels::TopLogit& one : top) {
    if (one.column >= 0) one.column = ids_[one.column];
  }
}

void mask(std::span<const CandidateColumns* const> of_rows, const Matrix& logits) {
  for (std::size_t row = 0; row < of_rows.size(); ++row) {
    Real* const values = logits.row(static_cast<Index>(row));
    auto next = of_rows[row]->ids_.begin();
    for (Index id = 0; id < logits.cols; ++id) {
      const bool is_one = next != of_rows[row]->ids_.end() && *next == id;
      if (is_one) {
        ++next;
      } else {
        values[id] = -std::numeric_limits<Real>::infinity();
      }
    }
  }
}

}  // namespace headwater
