// Sets of Unicode code points as sorted ranges.
#pragma once

#include <cstddef>
#include <vector>

namespace headwater {

struct CodePointRange {
  char32_t first = 0, last = 0;  // both are in it
  bool operator==(const CodePointRange&) const = default;
};

class CodePointSet {
 public:
  CodePointSet() = default;
  // The ranges may overlap and stand in any order. Surrogates are left out: no text holds them.
  explicit CodePointSet(std::vector<CodePointRange> ranges);

  // From the lowest; none touches the next.
  const std::vector<CodePointRange>& ranges() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }
  bool contains(char32_t code_point) const;

  // All code points that are not in it.
  CodePointSet complement() const;
  friend CodePointSet operator|(const CodePointSet& a, const CodePointSet& b);
  friend CodePointSet operator&(const CodePointSet& a, const CodePointSet& b);
  bool operator==(const CodePointSet&) const = default;

 private:
  std::vector<CodePointRange> ranges_;
};

}  // namespace headwater
