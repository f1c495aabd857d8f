// Errors that the tools turn into one line on stderr and an exit status.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace headwater {

// The work failed (data, disk, memory, divergence, a check said no): exit status 1.
// The message has the form "where: what, with the numbers (what to do)", lower case, no full stop.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The program was called wrongly (option, recipe): exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// `text` in double quotes for a message: control characters and invalid UTF-8 escaped (they could drive a
// terminal), at most 80 bytes with "..." after a cut.
std::string quote(std::string_view text);

// The candidate nearest to `word` within an edit distance of 2, or empty.
template <class Range>
std::string_view nearest_word(std::string_view word, const Range& candidates);

// Levenshtein distance in bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Range>
std::string_view nearest_word(std::string_view word, const Range& candidates) {
  std::string_view best;
  std::size_t least = 3;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace headwater
