// The classes of characters that expressions name, as Oniguruma 6.9.10 has them for UTF-8: the library that
// Hugging Face's tokenizers run expressions in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// Sets of Unicode code points as sorted ranges.
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

// [:name:]. Of \d, \s, \h and, within brackets, of \w they are digit, space, xdigit and word.
std::optional<CodePointSet> posix_class(std::string_view name);

// \p{name} by itself, and \w and what \b takes for a word: \p{word}. Within brackets word is posix_class's.
std::optional<CodePointSet> property_class(std::string_view name);

// With all characters that differ from one of the set in case alone.
CodePointSet with_other_case(const CodePointSet& set);

// Whether ICU may not know the other case: one of the pairs of Unicode 16.0.
bool has_newer_case(char32_t code_point);

// Strings of several characters of which one of the set is the only difference in case ("ss" of U+00DF): the
// sets of characters at each place. Those of two characters come first.
std::vector<std::vector<CodePointSet>> strings_of_other_case(const CodePointSet& set);

}  // namespace headwater
