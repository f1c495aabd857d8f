#include "decoding/next_token.hpp"

#include <algorithm>

#include "layers/packed_weights.hpp"

namespace headwater {

void Greedy::choose(const ForwardContext& context, const StepRows& rows, std::span<Chosen> chosen) const {
  const ConstMatrix hidden = rows.hidden.value();
  const Real* const bias = output_.bias() ? output_.bias()->value.data : nullptr;
  Arena& arena = context.tape.arena();
  const ArenaScope scope(arena);
  if (wants_scores_ || !rows.banned.offsets.empty()) {
    const std::span top = arena.span<kernels::TopLogit>(hidden.rows);
    const std::span log_sums = arena.span<Real>(hidden.rows);
    kernels::linear_top(hidden, context.packed->output().packed, bias, rows.banned, 1, top, log_sums);
    for (std::size_t b = 0; b < chosen.size(); ++b)
      chosen[b] = {top[b].column, static_cast<double>(top[b].value) - static_cast<double>(log_sums[b])};
    return;
  }
  // Where the id alone is wanted, logits that cannot be the largest are not computed.
  kernels::ArgmaxWeight weight = context.packed->output();
  if (rows.banned.limit > 0) weight.packed.outputs = std::min(weight.packed.outputs, rows.banned.limit);
  const std::span ids = arena.span<std::int32_t>(hidden.rows);
  kernels::linear_argmax(hidden, weight, bias, rows.banned.all, ids);
  for (std::size_t b = 0; b < chosen.size(); ++b) chosen[b] = {ids[b], 0};
}

}  // namespace headwater
