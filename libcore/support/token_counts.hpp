// How many tokens a text has, and how many of them its vocabulary lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headwater {

// Ids of tokens with a meaning of their own; -1 where a vocabulary has none such.
struct SpecialIds {
  std::int32_t pad = -1, unknown = -1, start = -1, end = -1;
};

struct TokenCounts {
  std::int64_t tokens = 0;   // padding, start and end not counted
  std::int64_t unknown = 0;  // of them

  void add(std::span<const std::int32_t> ids, const SpecialIds& special) {
    for (const std::int32_t id : ids) {
      if (id == special.pad || id == special.start || id == special.end) continue;
      ++tokens;
      unknown += id == special.unknown ? 1 : 0;
    }
  }
  TokenCounts& operator+=(const TokenCounts& other) {
    tokens += other.tokens;
    unknown += other.unknown;
    return *this;
  }
  // From 0 to 1; of no tokens 0.
  double unknown_share() const {
    return tokens == 0 ? 0 : static_cast<double>(unknown) / static_cast<double>(tokens);
  }
  bool operator==(const TokenCounts&) const = default;
};

// The tokens of one column of the data: "source", "target"; "" where there is one only.
struct ColumnTokenCounts {
  std::string column;
  TokenCounts counts;
};

// Lines of which a model did not read every token.
class TruncatedLines {
 public:
  TruncatedLines() = default;
  // So many, whose numbers are not known.
  explicit TruncatedLines(std::int64_t count) : count_(count) {}

  // The line of this number, from 1.
  void add(std::int64_t line) {
    constexpr std::size_t kNamed = 5;
    ++count_;
    if (first_.size() < kNamed) first_.push_back(line);
  }
  std::int64_t count() const { return count_; }
  // " (line 2)", " (lines 1, 2, 3, 4, 5, ...)": the first of them; "" where no number is known.
  std::string numbers() const {
    std::string text;
    for (const std::int64_t line : first_)
      text += (text.empty() ? count_ == 1 ? " (line " : " (lines " : ", ") + std::to_string(line);
    if (text.empty()) return text;
    return text + (count_ > static_cast<std::int64_t>(first_.size()) ? ", ...)" : ")");
  }

 private:
  std::int64_t count_ = 0;
  std::vector<std::int64_t> first_;
};

}  // namespace headwater
