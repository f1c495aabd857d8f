#include "decoding/beam_candidates.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "decoding/sampling.hpp"
#include "layers/packed_weights.hpp"
#include "support/parallel.hpp"

namespace headwater {

namespace {

constexpr Real kNever = -std::numeric_limits<Real>::infinity();

// The log-probabilities of one row: penalty, bans, renormalization, as Hugging Face's library orders them.
void process(std::span<Real> values, Real log_sum, std::size_t row, const RowLimits& limits,
             const GenerationSettings& settings) {
  for (Real& value : values) value -= log_sum;
  if (settings.repetition_penalty != 1) {
    std::vector<PenalizedLogit> changed;
    penalize_repetition(values, limits.texts[row], settings.repetition_penalty, changed);
  }
  const kernels::BannedColumns& banned = limits.banned;
  const auto ban = [&](std::int32_t id) {
    if (id >= 0 && static_cast<std::size_t>(id) < values.size())
      values[static_cast<std::size_t>(id)] = kNever;
  };
  for (const std::int32_t id : banned.all) ban(id);
  if (!banned.offsets.empty()) {
    for (Index i = banned.offsets[row]; i < banned.offsets[row + 1]; ++i)
      ban(banned.columns[static_cast<std::size_t>(i)]);
  }
  if (banned.limit > 0) {
    const std::size_t limit = std::min(values.size(), static_cast<std::size_t>(banned.limit));
    std::ranges::fill(values.subspan(limit), kNever);
  }
}

// The largest of a row, the first of equals first.
void take_largest(std::span<const Real> values, std::span<kernels::TopLogit> top) {
  std::vector<std::int32_t> ids;
  for (std::size_t id = 0; id < values.size(); ++id) {
    if (values[id] > kNever) ids.push_back(static_cast<std::int32_t>(id));
  }
  const auto value_of = [&](std::int32_t id) { return values[static_cast<std::size_t>(id)]; };
  const auto count = static_cast<std::ptrdiff_t>(std::min(ids.size(), top.size()));
  std::partial_sort(ids.begin(), ids.begin() + count, ids.end(), [&](std::int32_t a, std::int32_t b) {
    return value_of(a) != value_of(b) ? value_of(a) > value_of(b) : a < b;
  });
  std::ranges::fill(top, kernels::TopLogit{.value = 0, .column = -1});
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::int32_t id = ids[static_cast<std::size_t>(i)];
    top[static_cast<std::size_t>(i)] = {.value = value_of(id), .column = id};
  }
}

}  // namespace

void find_candidates(const DecodingGroup& group, ConstMatrix hidden, const RowLimits& limits, Index count,
                     std::span<kernels::TopLogit> top, std::span<Real> log_sums) {
  const kernels::PackedWeight& weight = group.context.packed->output().packed;
  const Parameter* const parameter = group.model.output_layer().bias();
  const Real* const bias = parameter != nullptr ? parameter->value.data : nullptr;
  const GenerationSettings& settings = group.settings;
  if (settings.repetition_penalty == 1 && !settings.renormalizes)
    return kernels::linear_top(hidden, weight, bias, limits.banned, count, top, log_sums);
  const Matrix logits = group.context.tape.arena().matrix(hidden.rows, weight.outputs);
  kernels::linear_packed(hidden, weight, bias, kernels::Activation::none, logits);
  kernels::log_sum_exp(logits, log_sums.data());
  parallel_for(hidden.rows, [&](Index r) {
    const auto row = static_cast<std::size_t>(r);
    const std::span<Real> values(logits.row(r), static_cast<std::size_t>(logits.cols));
    process(values, log_sums[row], row, limits, settings);
    log_sums[row] = 0;
    take_largest(values, top.subspan(row * static_cast<std::size_t>(count), static_cast<std::size_t>(count)));
  });
  if (settings.renormalizes) kernels::log_sum_exp(logits, log_sums.data());
}

}  // namespace headwater
