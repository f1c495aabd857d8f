// What scores of texts share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/parallel.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode_properties.hpp"

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

// Calls use(word) for each word of a well-formed text, a maximal run without white space, in order.
template <class Use>
void for_each_word(std::string_view text, const Use& use) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    const auto byte = static_cast<unsigned char>(text[at]);
    const char32_t c = byte < 0x80 ? static_cast<char32_t>(text[at++]) : next_code_point(text, at);
    if (!is_word_separator(c)) continue;
    if (here > begin) use(text.substr(begin, here - begin));
    begin = at;
  }
  if (begin < text.size()) use(text.substr(begin));
}

// Who computed a score: ends every signature.
inline constexpr std::string_view kScoreVersion = "headwater-0.1.0";

}  // namespace headwater
