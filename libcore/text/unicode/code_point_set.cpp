#include "text/unicode/code_point_set.hpp"

#include <algorithm>

namespace headwater {
namespace {

constexpr char32_t kBeforeSurrogates = 0xD7FF, kAfterSurrogates = 0xE000, kLastCodePoint = 0x10FFFF;

}  // namespace

CodePointSet::CodePointSet(std::vector<CodePointRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const CodePointRange& a, const CodePointRange& b) { return a.first < b.first; });
  const auto add = [&](char32_t first, char32_t last) {
    if (first > last) return;
    if (!ranges_.empty() && first <= ranges_.back().last + 1) {
      ranges_.back().last = std::max(ranges_.back().last, last);
    } else {
      ranges_.push_back({first, last});
    }
  };
  for (const auto& [first, last] : ranges) {
    add(first, std::min(last, kBeforeSurrogates));
    add(std::max(first, kAfterSurrogates), last);
  }
}

bool CodePointSet::contains(char32_t code_point) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), code_point,
                       [](char32_t c, const CodePointRange& range) { return c < range.first; });
  return after != ranges_.begin() && code_point <= std::prev(after)->last;
}

CodePointSet CodePointSet::complement() const {
  std::vector<CodePointRange> gaps;
  char32_t next = 0;
  for (const auto& [first, last] : ranges_) {
    if (first > next) gaps.push_back({next, first - 1});
    next = last + 1;
  }
  if (next <= kLastCodePoint) gaps.push_back({next, kLastCodePoint});
  return CodePointSet(std::move(gaps));
}

CodePointSet operator|(const CodePointSet& a, const CodePointSet& b) {
  std::vector<CodePointRange> both = a.ranges_;
  both.insert(both.end(), b.ranges_.begin(), b.ranges_.end());
  return CodePointSet(std::move(both));
}

CodePointSet operator&(const CodePointSet& a, const CodePointSet& b) {
  std::vector<CodePointRange> common;
  for (auto x = a.ranges_.begin(), y = b.ranges_.begin(); x != a.ranges_.end() && y != b.ranges_.end();) {
    const char32_t first = std::max(x->first, y->first), last = std::min(x->last, y->last);
    if (first <= last) common.push_back({first, last});
    (x->last < y->last ? x : y)++;
  }
  return CodePointSet(std::move(common));
}

}  // namespace headwater
