#include "decoding/text_window.hpp"

#include <algorithm>

namespace headwater {

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
    windows.add(prompts.source.sequence(s), text.subspan(static_cast<std::size_t>(begin)));
  }
  windows.finish();
  return windows;
}

}  // namespace headwater
