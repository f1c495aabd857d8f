// Regular expressions from files (ICU syntax), with limits on time and memory: the expression may be hostile.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// Bytes [begin, end) of a text.
struct TextSpan {
  std::size_t begin = 0, end = 0;
  bool operator==(const TextSpan&) const = default;
};

class Pattern {
 public:
  // Throws Error "regular expression "...": what".
  explicit Pattern(std::string_view expression);

  // All matches from the left, not overlapping. Safe to call from several threads. Throws Error where a limit
  // is reached: half a second and a second more for each MB of text, 8 MiB of backtracking.
  std::vector<TextSpan> find_all(std::string_view text) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
  std::string expression_;
};

}  // namespace headwater
