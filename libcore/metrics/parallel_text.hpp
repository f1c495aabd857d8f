// Hypotheses and references side by side: what all scores check before they count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/parallel.hpp"

namespace headwater {

// Lines that one task scores; sums of whole numbers do not depend on it, so it is only a matter of speed.
inline constexpr std::size_t kLinesATask = 512;

// Throws Error where there are no lines, no references, or a set of references of another length.
void check_parallel(std::span<const std::string> hypotheses,
                    std::span<const std::vector<std::string>> references);

// Calls use(chunk, begin, end) for the chunks of kLinesATask lines, in parallel.
template <class Use>
void for_each_chunk(std::size_t lines, const Use& use) {
  const std::size_t chunks = (lines + kLinesATask - 1) / kLinesATask;
  parallel_for(static_cast<std::int64_t>(chunks), [&](std::int64_t chunk) {
    const std::size_t begin = static_cast<std::size_t>(chunk) * kLinesATask;
    use(static_cast<std::size_t>(chunk), begin, std::min(lines, begin + kLinesATask));
  });
}

}  // namespace headwater
