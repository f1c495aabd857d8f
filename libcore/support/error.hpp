// Errors that the tools turn into one line on stderr and an exit status.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// The system's words for an errno, beginning in lower case: "no space left on device".
std::string system_reason(int error);

// `text` as a terminal may have it: control characters, invalid UTF-8 and the marks that turn the direction
// of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) become \xNN for each byte.
std::string visible(std::string_view text);

// The same in double quotes for a message, quotes and backslashes escaped; at most 80 bytes with "..." after
// a cut.
std::string quote(std::string_view text);

// The candidate that `word` was meant to be, or empty: the nearest one within a distance of 2, of words with
// fewer than six bytes of 1, of those with fewer than three of 0.
template <class Range>
std::string_view nearest_word(std::string_view word, const Range& candidates);

// Levenshtein distance in bytes: neighbours that changed places are one edit, upper for lower case is none.
std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Range>
std::string_view nearest_word(std::string_view word, const Range& candidates) {
  std::string_view best;
  std::size_t least = word.size() < 3 ? 1 : word.size() < 6 ? 2 : 3;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

// Several things that are wrong with one call, each worth a line of its own.
class SeveralErrors : public UsageError {
 public:
  explicit SeveralErrors(std::vector<std::string> lines)
      : UsageError(joined(lines)), lines_(std::move(lines)) {}
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  static std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += (out.empty() ? "" : "\n") + line;
    return out;
  }

  std::vector<std::string> lines_;
};

// An error of one of the lines that were given together: `line` counts from 0 within what the call was given;
// who knows the file puts its place before the message.
class LineError : public Error {
 public:
  LineError(std::size_t of_line, const std::string& what) : Error(what), line(of_line) {}
  std::size_t line;
};

inline constexpr const char* kOutputNotFinite =
    "the model's output is not finite (its weights are damaged or far too large; take another checkpoint)";

}  // namespace headwater
