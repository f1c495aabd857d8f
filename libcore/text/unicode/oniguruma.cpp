#include "text/unicode/oniguruma.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/unicode/character_classes.hpp"

namespace headwater {
namespace {

constexpr std::size_t kMaxDepth = 250, kMaxQuantifiers = 8;
constexpr std::uint32_t kMaxRepeats = 100000;  // Oniguruma's
constexpr const char* kAnyCharacter = "(?s:.)";

constexpr bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

void append_character(std::string& out, char32_t c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const bool is_alphanumeric = is_digit(c) || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z');
  if (c >= 0x80 || is_alphanumeric) {
    append_utf8(out, c);
  } else {
    out += {'\\', 'x', kDigits[c >> 4], kDigits[c & 15]};
  }
}

std::string set_text(const CodePointSet& set) {
  if (set.empty()) return "(?:(?!))";  // fits nowhere
  if (set.complement().empty()) return kAnyCharacter;
  std::string text = "[";
  for (const auto& [first, last] : set.ranges()) {
    append_character(text, first);
    if (last > first) {
      if (last > first + 1) text += '-';
      append_character(text, last);
    }
  }
  return text + ']';
}

struct Options {
  bool ignores_case = false, dot_is_any = false, is_extended = false;
};

enum class Atom { characters, place, options };

// What one reading of an expression finds and the next one needs.
struct Groups {
  std::size_t count = 0;  // that capture
  std::map<std::u32string, std::vector<std::size_t>> names;
  bool has_references = false;
};

class Translator {
 public:
  // `all`: the groups of the whole expression, none in the first reading.
  Translator(const std::u32string& text, const Groups* all, std::size_t ranges)
      : text_(text), all_(all), ranges_(ranges) {}

  std::string run() {
    body({}, 0);
    if (!at_end()) fail("a ) without (");
    return std::move(out_);
  }
  const Groups& groups() const { return groups_; }
  std::size_t ranges() const { return ranges_; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(what + " at character " + std::to_string(at_));
  }
  bool at_end() const { return at_ == text_.size(); }
  bool sees(char32_t c, std::size_t after = 0) const {
    return at_ + after < text_.size() && text_[at_ + after] == c;
  }
  bool take(char32_t c) {
    if (!sees(c)) return false;
    ++at_;
    return true;
  }
  char32_t next(const char* what) {
    if (at_end()) fail(std::string("the end inside ").append(what));
    return text_[at_++];
  }
  std::u32string take_until(char32_t end, const char* what) {
    std::u32string taken;
    for (char32_t c = next(what); c != end; c = next(what)) taken += c;
    return taken;
  }

  void spend(std::size_t ranges) {
    if (ranges > ranges_) fail("its sets of characters are too large together");
    ranges_ -= ranges;
  }

  // Classes.

  CodePointSet named(const std::string& name, std::optional<CodePointSet> (*find)(std::string_view)) {
    auto known = classes_.find({name, find});
    if (known == classes_.end()) {
      const auto set = find(name);
      if (!set) fail("unsupported class of characters " + quote(name));
      known = classes_.emplace(std::pair(name, find), *set).first;
    }
    spend(known->second.ranges().size());
    return known->second;
  }

  // \d and its like after the backslash; nothing is taken where it is another escape.
  std::optional<CodePointSet> class_escape(bool in_brackets) {
    if (at_end()) return std::nullopt;
    const char32_t c = text_[at_];
    const char32_t lower = c | 0x20;
    std::optional<CodePointSet> set;
    bool is_negated = c != lower;
    if (lower == U'd' || lower == U's' || lower == U'h' || lower == U'w') {
      ++at_;
      set = lower == U'd'   ? named("digit", posix_class)
            : lower == U's' ? named("space", posix_class)
            : lower == U'h' ? named("xdigit", posix_class)
                            : named("word", in_brackets ? posix_class : property_class);
    } else if (lower == U'p' && sees(U'{', 1)) {
      at_ += 2;
      is_negated ^= take(U'^');
      std::string name;
      for (const char32_t letter : take_until(U'}', "the name of a property")) append_utf8(name, letter);
      const bool is_word = in_brackets && name.size() == 4 && name.find_first_not_of("wordWORD") == name.npos;
      set = is_word ? named("word", posix_class) : named(name, property_class);
    }
    if (set && is_negated) set = set->complement();
    return set;
  }

  // After "[:"; nothing is taken where no class stands there.
  std::optional<CodePointSet> bracket_class() {
    constexpr std::size_t kMaxName = 20;
    const std::size_t length = std::u32string_view(text_).substr(at_, kMaxName + 2).find(U":]");
    if (length == text_.npos) return std::nullopt;
    const std::size_t end = at_ + length;
    const bool is_negated = take(U'^');
    std::string name;
    while (at_ < end) append_utf8(name, text_[at_++]);
    at_ += 2;
    const CodePointSet set = named(name, posix_class);
    return is_negated ? set.complement() : set;
  }

  struct Brackets {
    CodePointSet set;
    bool is_negated = false;
    CodePointSet resolved() const { return is_negated ? set.complement() : set; }
  };

  // After "[".
  Brackets brackets(std::size_t depth) {
    if (depth > kMaxDepth) fail("[ nested too deep");
    Brackets all;
    all.is_negated = take(U'^');
    std::vector<CodePointRange> united;
    std::optional<CodePointSet> before;  // an &&
    const auto intersect = [&] {
      CodePointSet side(std::move(united));
      united.clear();
      return before ? *before & side : side;
    };
    const auto add_all = [&](const CodePointSet& set) {
      united.insert(united.end(), set.ranges().begin(), set.ranges().end());
    };
    const auto add_class = [&](const CodePointSet& set) {
      add_all(set);
      if (sees(U'-') && !sees(U']', 1)) fail("a range that begins with a class of characters");
    };
    for (bool is_first = true;; is_first = false) {
      const char32_t c = next("[");
      if (c == U']' && !is_first) break;
      if (c == U'&' && take(U'&')) {
        before = intersect();
      } else if (c == U'[') {
        std::optional<CodePointSet> named_set;
        if (take(U':')) {
          named_set = bracket_class();
          if (!named_set) --at_;
        }
        if (named_set) {
          add_class(*named_set);
        } else {
          add_all(brackets(depth + 1).resolved());
        }
      } else if (const auto set = c == U'\\' ? class_escape(true) : std::nullopt) {
        add_class(*set);
      } else {
        const char32_t first = c == U'\\' ? escaped() : c;
        spend(1);
        const bool is_range = sees(U'-') && !sees(U']', 1) && !(sees(U'&', 1) && sees(U'&', 2));
        united.push_back({first, is_range ? range_end(first) : first});
      }
    }
    all.set = intersect();
    spend(all.set.ranges().size());
    return all;
  }

  char32_t range_end(char32_t first) {
    ++at_;
    const char32_t c = next("[");
    if (c == U'[' || (c == U'\\' && class_escape(true))) fail("a range that ends with a class of characters");
    const char32_t last = c == U'\\' ? escaped() : c;
    if (last < first) fail("a range that ends before it begins");
    return last;
  }

  void add_set(const CodePointSet& set, Options options) {
    spend(set.ranges().size());
    if (options.ignores_case) out_ += "(?-i:";  // the set is what it is
    out_ += set_text(set);
    if (options.ignores_case) out_ += ')';
  }

  void add_brackets(Options options) {
    const Brackets all = brackets(0);
    if (!options.ignores_case) return add_set(all.resolved(), options);
    const CodePointSet closed = with_other_case(all.set);
    if (all.is_negated) return add_set(closed.complement(), options);
    out_ += "(?:";
    add_set(closed, options);
    for (const std::vector<CodePointSet>& string : strings_of_other_case(all.set)) {
      out_ += '|';
      for (const CodePointSet& place : string) add_set(place, options);
    }
    out_ += ')';
  }

  // Between a character of a word and another, or not.
  void add_boundary(bool is_one) {
    const std::string word = set_text(named("word", property_class));
    spend(4 * named("word", property_class).ranges().size());
    const char* const ahead[] = {"(?=", "(?!"};
    out_ +=
        "(?:(?<=" + word + ')' + ahead[is_one] + word + ")|(?<!" + word + ')' + ahead[!is_one] + word + "))";
  }

  // Characters.

  std::uint32_t number(std::uint32_t base, std::size_t max_digits) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < max_digits && !at_end(); ++i) {
      const char32_t c = text_[at_];
      const char32_t lower = c | 0x20;
      const std::uint32_t digit = is_digit(c)                      ? c - U'0'
                                  : lower >= U'a' && lower <= U'f' ? lower - U'a' + 10
                                                                   : base;
      if (digit >= base) break;
      value = value * base + digit;
      ++at_;
    }
    return value;
  }

  char32_t in_braces(std::uint32_t base) {
    const std::size_t begin = at_;
    const char32_t c = number(base, 8);
    if (at_ == begin || !take(U'}') || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
      fail("no code point in {}");
    return c;
  }

  // The bytes of one character of UTF-8, the first of which has been read.
  char32_t from_bytes(std::uint32_t byte) {
    std::string bytes(1, static_cast<char>(byte));
    while (utf8_sequence_length(bytes) == 0 && bytes.size() < 4 && sees(U'\\') && sees(U'x', 1)) {
      at_ += 2;
      bytes += static_cast<char>(number(16, 2));
    }
    if (utf8_sequence_length(bytes) != bytes.size()) fail("bytes that are not UTF-8 (write \\x{HHHH})");
    std::size_t at = 0;
    return next_code_point(bytes, at);
  }

  // After the backslash of one character.
  char32_t escaped() {
    const char32_t c = next("an escape");
    const std::size_t begin = at_;
    switch (c) {
      case U't':
        return U'\t';
      case U'n':
        return U'\n';
      case U'r':
        return U'\r';
      case U'f':
        return U'\f';
      case U'v':
        return U'\v';
      case U'a':
        return U'\a';
      case U'b':  // within brackets
        return U'\b';
      case U'e':
        return 0x1B;
      case U'x': {
        if (take(U'{')) return in_braces(16);
        const std::uint32_t byte = number(16, 2);
        return byte < 0x80 ? char32_t{byte} : from_bytes(byte);
      }
      case U'u': {
        const std::uint32_t value = number(16, 4);
        if (at_ != begin + 4 || (value >= 0xD800 && value < 0xE000))
          fail("\\u without four digits of a character");
        return value;
      }
      case U'o':
        return take(U'{') ? in_braces(8) : c;
      case U'c':
      case U'C':
      case U'M': {
        const bool is_control = c == U'c' || (c == U'C' && take(U'-'));
        const char32_t key = next("an escape");
        if (!is_control || key >= 0x80 || key == U'\\' || key == U'?') fail("\\C and \\M are not supported");
        return key & 0x1F;
      }
      default:
        if (!is_digit(c)) return c;
        if (c >= U'8') fail("a group that is not there");
        --at_;
        return number(8, 3) & 0xFF;
    }
  }

  void add_character(char32_t c, Options options) {
    if (options.ignores_case && has_newer_case(c)) {
      add_set(with_other_case(CodePointSet({{c, c}})), options);
    } else {
      append_character(out_, c);
    }
  }

  // Groups.

  void add_reference(std::size_t group) {
    groups_.has_references = true;
    if (all_ != nullptr && (group == 0 || group > all_->count)) fail("a group that is not there");
    out_ += "(?:\\" + std::to_string(group) + ')';
  }

  // \k<name>, \k<number>, \k<-number> after the k.
  void add_named_reference() {
    const char32_t quote_mark = next("\\k");
    if (quote_mark != U'<' && quote_mark != U'\'') fail("\\k without <");
    const std::u32string name = take_until(quote_mark == U'<' ? U'>' : quote_mark, "\\k");
    const Groups& known = all_ != nullptr ? *all_ : groups_;
    if (const auto found = known.names.find(name); found != known.names.end()) {
      if (found->second.size() > 1) fail("a name that several groups have");
      return add_reference(found->second.front());
    }
    std::size_t value = 0;
    const bool is_relative = name.starts_with(U'-');
    for (const char32_t digit : name.substr(is_relative ? 1 : 0)) {
      if (!is_digit(digit) || value > kMaxRepeats) {
        if (all_ == nullptr) return add_reference(0);  // names are known after the first reading
        fail("\\k of a name that no group has");
      }
      value = 10 * value + (digit - U'0');
    }
    if (all_ != nullptr && !all_->names.empty()) fail("a number of a group where groups have names");
    if (is_relative && value > groups_.count) fail("a group that is not there");
    add_reference(is_relative ? groups_.count + 1 - value : value);
  }

  // \1; \12 where there are so many groups, else an octal number. The first digit is the next character.
  bool add_numbered_reference() {
    const std::size_t begin = at_;
    const std::uint32_t value = number(10, 5);
    if (value > 9 && (all_ == nullptr || value > all_->count)) {
      at_ = begin;
      return false;
    }
    if (all_ != nullptr && !all_->names.empty()) fail("a number of a group where groups have names");
    add_reference(value);
    return true;
  }

  void open_capture() {
    ++groups_.count;
    out_ += all_ == nullptr || all_->has_references ? "(" : "(?:";
  }

  Atom close_group(Options options, std::size_t depth, Atom kind) {
    body(options, depth + 1);
    if (!take(U')')) fail("a ( without )");
    out_ += ')';
    return kind;
  }

  Atom named_group(char32_t end, Options options, std::size_t depth) {
    const std::u32string name = take_until(end, "a group's name");
    if (name.empty() || is_digit(name.front()) || name.front() == U'-')
      fail("a group's name that is no name");
    open_capture();
    groups_.names[name].push_back(groups_.count);
    return close_group(options, depth, Atom::characters);
  }

  // After "(".
  Atom group(Options& options, std::size_t depth) {
    if (sees(U'*')) fail("(* is not supported");
    if (!take(U'?')) {
      if (all_ != nullptr && !all_->names.empty()) {
        out_ += "(?:";  // where groups have names, others do not capture
      } else {
        open_capture();
      }
      return close_group(options, depth, Atom::characters);
    }
    const auto plain = [&](const char* opening, Atom kind) {
      out_ += opening;
      return close_group(options, depth, kind);
    };
    if (take(U':')) return plain("(?:", Atom::characters);
    if (take(U'>')) return plain("(?>", Atom::characters);
    if (take(U'=')) return plain("(?=", Atom::place);
    if (take(U'!')) return plain("(?!", Atom::place);
    if (take(U'\'')) return named_group(U'\'', options, depth);
    if (!take(U'<')) return options_group(options, depth);
    const bool is_wanted = take(U'=');
    if (!is_wanted && !take(U'!')) return named_group(U'>', options, depth);
    ++behind_;
    plain(is_wanted ? "(?<=" : "(?<!", Atom::place);
    --behind_;
    return Atom::place;
  }

  // (?imx-imx:...), or (?imx-imx) to the end of the group around it.
  Atom options_group(Options& options, std::size_t depth) {
    Options inner = options;
    for (bool value = true;;) {
      const char32_t c = next("(?");
      if (c == U'i') {
        inner.ignores_case = value;
      } else if (c == U'm') {
        inner.dot_is_any = value;
      } else if (c == U'x') {
        inner.is_extended = value;
      } else if (c == U'-') {
        value = false;
      } else if (c == U')' || c == U':') {
        out_ += inner.ignores_case ? "(?i:" : "(?-i:";
        if (c == U':') return close_group(inner, depth, Atom::characters);
        options = inner;
        return Atom::options;
      } else {
        std::string letter;
        append_utf8(letter, c);
        fail("(?" + letter + " is not supported");
      }
    }
  }

  // After a backslash, not within brackets.
  Atom escape(Options options) {
    if (const auto set = class_escape(false)) {
      add_set(*set, options);
      return Atom::characters;
    }
    if (at_end()) fail("a backslash at the end");
    const char32_t c = text_[at_];
    const auto is = [&](Atom kind, std::string_view text) {
      ++at_;
      out_ += text;
      return kind;
    };
    switch (c) {
      case U'A':
        return is(Atom::place, "\\A");
      case U'z':
        return is(Atom::place, "\\z");
      case U'Z':
        return is(Atom::place, "\\Z");
      case U'b':
      case U'B':
        add_boundary(c == U'b');
        return is(Atom::place, "");
      case U'R':
        if (behind_ > 0) fail("\\R is not supported where it looks behind");
        return is(Atom::characters, "(?>\\r\\n|[\\n-\\r\\u0085\\u2028\\u2029])");
      case U'N':
        return is(Atom::characters, ".");
      case U'O':
        return is(Atom::characters, kAnyCharacter);
      case U'X':
      case U'K':
      case U'G':
      case U'y':
      case U'Y':
      case U'g':
        fail(std::string("\\").append(1, static_cast<char>(c)).append(" is not supported"));
      case U'k':
        ++at_;
        add_named_reference();
        return Atom::characters;
      default:
        if (is_digit(c) && c != U'0' && add_numbered_reference()) return Atom::characters;
        add_character(escaped(), options);
        return Atom::characters;
    }
  }

  // Repetition.

  // {n}, {n,}, {,m} or {n,m} as ICU writes it; nothing is taken of anything else.
  std::optional<std::string> interval() {
    const std::size_t begin = at_;
    const auto none = [&] {
      at_ = begin;
      return std::nullopt;
    };
    if (!take(U'{')) return std::nullopt;
    const auto count = [&]() -> std::optional<std::uint32_t> {
      const std::size_t from = at_;
      const std::uint32_t value = number(10, 9);
      if (at_ == from) return std::nullopt;
      if (value > kMaxRepeats || (!at_end() && is_digit(text_[at_])))
        fail("more than " + std::to_string(kMaxRepeats) + " repetitions");
      return value;
    };
    const auto low = count();
    if (low && take(U'}')) return '{' + std::to_string(*low) + '}';
    if (!take(U',')) return none();
    const auto high = count();
    if (!take(U'}') || (!low && !high)) return none();
    if (high && low.value_or(0) > *high) fail("an interval that ends before it begins");
    const std::string text =
        '{' + std::to_string(low.value_or(0)) + ',' + (high ? std::to_string(*high) : "") + '}';
    return take(U'?') ? text + '?' : text;
  }

  // In {n}? and {n}+ the last character is a quantifier by itself: it repeats what stands before.
  std::optional<std::string> quantifier() {
    for (const char mark : {'*', '+', '?'}) {
      if (!take(static_cast<char32_t>(mark))) continue;
      const std::string text(1, mark);
      return take(U'?') ? text + '?' : take(U'+') ? text + '+' : text;
    }
    return interval();
  }

  Atom atom(Options& options, std::size_t depth) {
    const std::size_t begin = at_;
    if (quantifier()) {
      at_ = begin;
      fail("nothing to repeat");
    }
    const char32_t c = next("an expression");
    switch (c) {
      case U'(':
        return group(options, depth);
      case U'[':
        add_brackets(options);
        return Atom::characters;
      case U'.':
        out_ += options.dot_is_any ? kAnyCharacter : ".";
        return Atom::characters;
      case U'^':  // not after the last line's end
        out_ += "(?:\\A|^(?!\\z))";
        return Atom::place;
      case U'$':
        out_ += '$';
        return Atom::place;
      case U'\\':
        return escape(options);
      default:
        add_character(c, options);
        return Atom::characters;
    }
  }

  // Comments; in (?x) white space too.
  void skip_ignored(Options options) {
    while (!at_end()) {
      if (sees(U'(') && sees(U'?', 1) && sees(U'#', 2)) {
        at_ += 3;
        for (char32_t c = next("(?#"); c != U')'; c = next("(?#")) {
          if (c == U'\\') next("(?#");
        }
      } else if (options.is_extended && (text_[at_] == U' ' || (text_[at_] >= U'\t' && text_[at_] <= U'\r' &&
                                                                text_[at_] != U'\v'))) {
        ++at_;
      } else if (options.is_extended && sees(U'#')) {
        at_ = std::min(text_.find(U'\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  // Up to the end of a group.
  void body(Options options, std::size_t depth) {
    if (depth > kMaxDepth) fail("( nested too deep");
    std::size_t opened = 0;  // by options
    for (skip_ignored(options); !at_end() && !sees(U')'); skip_ignored(options)) {
      if (take(U'|')) {
        out_ += '|';
        continue;
      }
      const std::size_t begin = out_.size();
      const Atom kind = atom(options, depth);
      if (kind == Atom::options) {
        if (++opened > kMaxDepth) fail("too many options");
        continue;
      }
      repeat(begin, kind, options);
    }
    out_.append(opened, ')');
  }

  // What was added from `begin` on.
  void repeat(std::size_t begin, Atom kind, Options options) {
    for (std::size_t count = 0;; ++count) {
      skip_ignored(options);
      const auto text = quantifier();
      if (!text) return;
      if (kind == Atom::place) fail("a place of no width cannot be repeated");
      if (count == kMaxQuantifiers) fail("too many quantifiers");
      if (count > 0 || options.ignores_case) wrap(begin, "(?:");  // a character may stand for several
      // ICU's possessive loops do not end where what is repeated may be empty.
      const bool is_possessive = text->size() == 2 && text->back() == '+';
      out_ += is_possessive ? text->substr(0, 1) : *text;
      if (is_possessive) wrap(begin, "(?>");
    }
  }

  void wrap(std::size_t begin, const char* opening) {
    out_.insert(begin, opening);
    out_ += ')';
  }

  const std::u32string& text_;
  const Groups* all_;
  std::size_t ranges_;
  std::size_t at_ = 0;
  std::size_t behind_ = 0;  // groups that look behind, around this place
  std::string out_;
  Groups groups_;
  std::map<std::pair<std::string, std::optional<CodePointSet> (*)(std::string_view)>, CodePointSet> classes_;
};

}  // namespace

std::string icu_expression(std::string_view expression, std::size_t& ranges) {
  std::u32string text;
  for (std::size_t at = 0; at < expression.size();) text += next_code_point(expression, at);
  Translator first(text, nullptr, ranges);
  (void)first.run();
  Translator second(text, &first.groups(), ranges);
  std::string out = second.run();
  ranges = second.ranges();
  return out.empty() ? "(?:)" : out;
}

}  // namespace headwater
