// Expressions of tokenizer.json: Oniguruma's in its syntax for Ruby and its Unicode mode, for ICU to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "text/unicode/character_classes.hpp"

namespace headwater {

// The same expression for ICU with the flags UREGEX_MULTILINE and UREGEX_UNIX_LINES. Every class of
// characters becomes the set of its code points, so that the two libraries' readings of a name do not matter.
// `ranges` is what the sets may take, less what they took. Throws Error that names what cannot be said in
// ICU.
std::string icu_expression(std::string_view expression, std::size_t& ranges);

// Reading an expression of Oniguruma, mark by mark: characters, classes, brackets, repetitions. How these
// stand in groups and what ICU gets for them is in oniguruma.cpp.
constexpr bool is_digit_of_expression(char32_t c) { return c >= U'0' && c <= U'9'; }

class OnigurumaReader {
 public:
  static constexpr std::size_t kMaxDepth = 250;  // of brackets, and of groups

  // `text` outlives it. `ranges` is what its sets may take together.
  OnigurumaReader(const std::u32string& text, std::size_t ranges) : text_(text), ranges_(ranges) {}

  // Throws Error "what at character N".
  [[noreturn]] void fail(const std::string& what) const;

  std::size_t place() const { return at_; }
  void go_to(std::size_t place) { at_ = place; }
  bool at_end() const { return at_ == text_.size(); }
  bool sees(char32_t c, std::size_t after = 0) const {
    return at_ + after < text_.size() && text_[at_ + after] == c;
  }
  // The next character, which stays; there is one.
  char32_t seen() const { return text_[at_]; }
  void skip() { ++at_; }
  bool take(char32_t c) {
    if (!sees(c)) return false;
    ++at_;
    return true;
  }
  // Error where the text ends here, inside `what`.
  char32_t next(const char* what);
  std::u32string take_until(char32_t end, const char* what);

  void spend(std::size_t ranges);
  std::size_t ranges() const { return ranges_; }  // left

  // What `find` knows by this name, which is counted.
  CodePointSet named(const std::string& name, std::optional<CodePointSet> (*find)(std::string_view));
  // \d and its like after the backslash; nothing is taken where it is another escape.
  std::optional<CodePointSet> class_escape(bool in_brackets);

  struct Brackets {
    CodePointSet set;
    bool is_negated = false;
    CodePointSet resolved() const { return is_negated ? set.complement() : set; }
  };
  // After "[".
  Brackets brackets(std::size_t depth = 0);

  // Up to so many digits; 0 where there is none.
  std::uint32_t number(std::uint32_t base, std::size_t max_digits);
  // After the backslash of one character.
  char32_t escaped();
  // In {n}? and {n}+ the last character is a quantifier by itself: it repeats what stands before.
  std::optional<std::string> quantifier();
  // Comments; in (?x) white space too.
  void skip_ignored(bool is_extended);

 private:
  // After "[:"; nothing is taken where no class stands there.
  std::optional<CodePointSet> bracket_class();
  char32_t range_end(char32_t first);
  char32_t in_braces(std::uint32_t base);
  // The bytes of one character of UTF-8, the first of which has been read.
  char32_t from_bytes(std::uint32_t byte);
  // {n}, {n,}, {,m} or {n,m} as ICU writes it; nothing is taken of anything else.
  std::optional<std::string> interval();

  const std::u32string& text_;
  std::size_t ranges_;
  std::size_t at_ = 0;
  std::map<std::pair<std::string, std::optional<CodePointSet> (*)(std::string_view)>, CodePointSet> classes_;
};

}  // namespace headwater
