#include "decoding/candidate_columns.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace headwater {

CandidateColumns::CandidateColumns(const OutputLayer& output, const PackedWeights& packed,
                                   std::vector<std::int32_t> ids)
    : ids_(std::move(ids)) {
  const Index inputs = output.inputs(), count = std::ssize(ids_);
  if (const Parameter* const bias = output.bias()) {
    for (const std::int32_t id : ids_) bias_.push_back(bias->value.data[id]);
  }
  if (const kernels::PackedWeight& of_all = packed.output().packed; of_all.int8.bytes != nullptr) {
    panels_ = make_flat_array(kernels::int8_size(inputs, count));
    weight_ = kernels::int8_columns(of_all, ids_, panels_.get());
    return;
  }
  const Matrix& all = output.weight().value;
  const FlatArray rows = make_flat_array(count * inputs);  // a row a token
  for (Index i = 0; i < count; ++i) {
    const Index id = ids_[static_cast<std::size_t>(i)];
    for (Index k = 0; k < inputs; ++k)
      rows[i * inputs + k] = output.is_tied() ? all.row(id)[k] : all.row(k)[id];
  }
  panels_ = make_flat_array(kernels::packed_size(inputs, count));
  weight_ = kernels::pack_weight_transposed(ConstMatrix(rows.get(), count, inputs), panels_.get());
}

void CandidateColumns::top(ConstMatrix x, const kernels::BannedColumns& banned, Index first_row, Index count,
                           std::span<kernels::TopLogit> top, std::span<Real> log_sums) const {
  std::vector<std::int32_t> columns;
  std::vector<Index> offsets{0};
  const auto ban = [&](std::int32_t id) {
    const auto at = std::ranges::lower_bound(ids_, id);
    if (at != ids_.end() && *at == id) columns.push_back(static_cast<std::int32_t>(at - ids_.begin()));
  };
  for (Index row = first_row; row < first_row + x.rows; ++row) {
    std::ranges::for_each(banned.all, ban);
    if (!banned.offsets.empty()) {
      const auto r = static_cast<std::size_t>(row);
      for (Index i = banned.offsets[r]; i < banned.offsets[r + 1]; ++i) ban(banned.columns[i]);
    }
    offsets.push_back(std::ssize(columns));
  }
  const auto beyond = banned.limit > 0 ? std::ranges::lower_bound(ids_, banned.limit) : ids_.end();
  const Index limit = beyond - ids_.begin();
  kernels::linear_top(x, weight_, bias_.empty() ? nullptr : bias_.data(),
                      {.offsets = offsets, .columns = columns, .limit = limit}, count, top, log_sums);
  for (kernels::TopLogit& one : top) {
    if (one.column >= 0) one.column = ids_[static_cast<std::size_t>(one.column)];
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
