#include "decoding/decoding_group.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/error.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

Index capacity_of(const DecodingGroup& group) {
  Index capacity = 0;
  for (Index s = 0; s < group.prompts.sequences(); ++s)
    capacity =
        std::max(capacity, static_cast<Index>(group.prompts.target.sequence(s).size()) - 1 + group.room[s]);
  return group.settings.slides ? std::min(capacity, group.model.length()) : capacity;
}

void check_hidden(const DecodingGroup& group, const Variable& hidden, std::span<const Index> sequence) {
  for (Index row = 0; row < hidden.rows(); ++row) {
    const double length = std::sqrt(kernels::sum_of_squares(hidden.cols(), hidden.value().row(row)));
    if (length <= group.largest_hidden) continue;  // false of what is not a number
    throw LineError(static_cast<std::size_t>(sequence[row]), kOutputNotFinite);
  }
}

void slide(const DecodingGroup& group, DecoderState& state, std::span<const Index> slots,
           std::span<const std::span<const std::int32_t>> texts) {
  std::vector<Index> full;
  PackedTokens windows;
  windows.clear();
  for (std::size_t row = 0; row < slots.size(); ++row) {
    if (state.length(slots[row]) < group.model.length()) continue;
    const std::span<const std::int32_t> text = texts[row];
    const Index begin = window_begin(static_cast<Index>(text.size()), group.model.length());
    windows.add(text.first(text.size() - 1).subspan(begin));
    full.push_back(slots[row]);
  }
  if (full.empty()) return;
  windows.finish();
  state.reread(group.context, full, windows);
}

Index window_begin(Index tokens, Index length) {
  const Index shift = std::max<Index>(1, length / 2);
  return tokens <= length ? 0 : (tokens - length + shift - 1) / shift * shift;
}

Prompts windows_of(const Prompts& prompts, Index length) {
  Prompts windows;
  windows.clear();
  for (Index s = 0; s < prompts.sequences(); ++s) {
    const std::span<const std::int32_t> text = prompts.target.sequence(s);
    const Index begin = window_begin(static_cast<Index>(text.size()), length);
    windows.add(prompts.source.sequence(s), text.subspan(begin));
  }
  windows.finish();
  return windows;
}

}  // namespace headwater
