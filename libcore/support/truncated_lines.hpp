// Lines of which a model did not read every token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace headwater {

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
