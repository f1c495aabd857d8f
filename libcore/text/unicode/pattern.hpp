// Regular expressions from files (Oniguruma's syntax, run by ICU), with limits on work and memory: the
// expression may be hostile.
#pragma once

#include <atomic>
#include <cstdint>
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

// What the expressions of one file may take together, over the whole input: half a second of processor time,
// 50 us more for each text and 2 us for each of its bytes, which is some fifty times what ordinary ones need.
// A limit on each match alone would let a million short lines take a million times as long.
class MatchBudget {
 public:
  // Once for each text, before the expressions see it.
  void grant(std::size_t bytes) { left_ += std::int64_t{50000} + 2000 * static_cast<std::int64_t>(bytes); }
  void spend(std::int64_t nanoseconds) { left_ -= nanoseconds; }
  std::int64_t left() const { return left_; }  // nanoseconds

  // Ranges of code points that the sets of the expressions may still take, while these are read.
  std::size_t& ranges() { return ranges_; }

 private:
  std::size_t ranges_ = 200000;
  std::atomic<std::int64_t> left_{500000000};
};

class Pattern {
 public:
  // Throws Error "regular expression "...": what", which names what is not supported.
  Pattern(std::string_view expression, std::shared_ptr<MatchBudget> budget);

  // All matches from the left, not overlapping; none of no width where another ends, none in an empty text.
  // Safe to call from several threads. Throws Error where a limit is reached: that of the budget, or 8 MiB of
  // backtracking.
  std::vector<TextSpan> find_all(std::string_view text) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
  std::shared_ptr<MatchBudget> budget_;
  std::string expression_;
};

}  // namespace headwater
