// What translations must contain: what --keep finds in a line, and what --terms has for it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lines.hpp"
#include "decoding/translate.hpp"
#include "support/token_counts.hpp"
#include "text/unicode/pattern.hpp"

namespace headwater::translate {

class Required {
 public:
  // `patterns`: regular expressions. `terms`: a file of two columns, or "". Throws UsageError where an
  // expression is none, Error for a bad line of the file.
  Required(const std::vector<std::string>& patterns, const std::string& terms,
           const cli::LineReaderSettings& settings);
  bool any() const { return !patterns_.empty() || !terms_.empty(); }
  // Of each line. Throws LineError where a line has too many.
  std::vector<RequiredTexts> of(const std::vector<std::string>& lines) const;
  // Looks whether the translation of line `number` has what --keep found as often as the line has it.
  void check(std::int64_t number, std::string_view line, const RequiredTexts& required,
             std::string_view translation);
  void note() const;

 private:
  void read_terms(const std::string& path, const cli::LineReaderSettings& settings);
  RequiredTexts of(std::string_view line) const;
  void add_terms(std::string_view line, const std::vector<TextSpan>& kept, RequiredTexts& required) const;

  std::vector<Pattern> patterns_;
  std::shared_ptr<MatchBudget> budget_ = std::make_shared<MatchBudget>();
  struct Term {
    std::string target, place;
  };
  std::map<std::string, Term, std::less<>> terms_;
  std::vector<std::size_t> lengths_;  // of terms, in bytes, the longest first
  TruncatedLines differing_;
};

}  // namespace headwater::translate
