// What translations must contain: what --keep finds in a line, and what --terms has for it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lines.hpp"
#include "decoding/required_texts.hpp"
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
  // Throws Error where --keep finds white space alone.
  RequiredTexts of(std::string_view line) const;
  // What --keep finds, in the order of its patterns.
  std::vector<TextSpan> kept(std::string_view line) const;
  // Counts the translation of line `number` where it lacks something.
  void check(std::int64_t number, std::string_view line, std::string_view translation);
  void note() const;

 private:
  struct Kept {
    TextSpan span;
    std::size_t pattern;
  };
  std::vector<Kept> find_kept(std::string_view line) const;
  bool has_more(std::string_view line, std::string_view translation) const;
  void read_terms(const std::string& path, const cli::LineReaderSettings& settings);
  void add_terms(std::string_view line, const std::vector<Kept>& kept, RequiredTexts& required) const;

  std::vector<Pattern> patterns_;
  std::shared_ptr<MatchBudget> budget_ = std::make_shared<MatchBudget>();
  struct Term {
    std::string target, place;
  };
  std::map<std::string, Term, std::less<>> terms_;
  std::vector<std::size_t> lengths_;  // of terms, in bytes, the longest first
  TruncatedLines lacking_, adding_;
};

}  // namespace headwater::translate
