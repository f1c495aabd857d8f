#include "text/unicode/oniguruma.hpp"

#include <vector>

#include "support/utf8.hpp"

namespace headwater {
namespace {

constexpr std::size_t kMaxDepth = OnigurumaReader::kMaxDepth, kMaxQuantifiers = 8;
constexpr std::size_t kMaxGroups = 100000;  // numbers beyond it are none
constexpr const char* kAnyCharacter = "(?s:.)";

void append_character(std::string& out, char32_t c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const bool is_alphanumeric =
      is_digit_of_expression(c) || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z');
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

// Reads the groups of an expression, and writes for ICU what stands in them.
class Translator {
 public:
  // `all`: the groups of the whole expression, none in the first reading.
  Translator(const std::u32string& text, const Groups* all, std::size_t ranges)
      : in_(text, ranges), all_(all) {}

  std::string run() {
    body({}, 0);
    if (!in_.at_end()) in_.fail("a ) without (");
    return std::move(out_);
  }
  const Groups& groups() const { return groups_; }
  std::size_t ranges() const { return in_.ranges(); }

 private:
  // Classes.

  void add_set(const CodePointSet& set, Options options) {
    in_.spend(set.ranges().size());
    if (options.ignores_case) out_ += "(?-i:";  // the set is what it is
    out_ += set_text(set);
    if (options.ignores_case) out_ += ')';
  }

  void add_brackets(Options options) {
    const OnigurumaReader::Brackets all = in_.brackets(0);
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
    const std::string word = set_text(in_.named("word", property_class));
    in_.spend(4 * in_.named("word", property_class).ranges().size());
    const char* const ahead[] = {"(?=", "(?!"};
    out_ +=
        "(?:(?<=" + word + ')' + ahead[is_one] + word + ")|(?<!" + word + ')' + ahead[!is_one] + word + "))";
  }

  // Characters.

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
    if (all_ != nullptr && (group == 0 || group > all_->count)) in_.fail("a group that is not there");
    out_ += "(?:\\" + std::to_string(group) + ')';
  }

  // \k<name>, \k<number>, \k<-number> after the k.
  void add_named_reference() {
    const char32_t quote_mark = in_.next("\\k");
    if (quote_mark != U'<' && quote_mark != U'\'') in_.fail("\\k without <");
    const std::u32string name = in_.take_until(quote_mark == U'<' ? U'>' : quote_mark, "\\k");
    const Groups& known = all_ != nullptr ? *all_ : groups_;
    if (const auto found = known.names.find(name); found != known.names.end()) {
      if (found->second.size() > 1) in_.fail("a name that several groups have");
      return add_reference(found->second.front());
    }
    std::size_t value = 0;
    const bool is_relative = name.starts_with(U'-');
    for (const char32_t digit : name.substr(is_relative ? 1 : 0)) {
      if (!is_digit_of_expression(digit) || value > kMaxGroups) {
        if (all_ == nullptr) return add_reference(0);  // names are known after the first reading
        in_.fail("\\k of a name that no group has");
      }
      value = 10 * value + (digit - U'0');
    }
    if (all_ != nullptr && !all_->names.empty()) in_.fail("a number of a group where groups have names");
    if (is_relative && value > groups_.count) in_.fail("a group that is not there");
    add_reference(is_relative ? groups_.count + 1 - value : value);
  }

  // \1; \12 where there are so many groups, else an octal number. The first digit is the next character.
  bool add_numbered_reference() {
    const std::size_t begin = in_.place();
    const std::uint32_t value = in_.number(10, 5);
    if (value > 9 && (all_ == nullptr || value > all_->count)) {
      in_.go_to(begin);
      return false;
    }
    if (all_ != nullptr && !all_->names.empty()) in_.fail("a number of a group where groups have names");
    add_reference(value);
    return true;
  }

  void open_capture() {
    ++groups_.count;
    out_ += all_ == nullptr || all_->has_references ? "(" : "(?:";
  }

  Atom close_group(Options options, std::size_t depth, Atom kind) {
    body(options, depth + 1);
    if (!in_.take(U')')) in_.fail("a ( without )");
    out_ += ')';
    return kind;
  }

  Atom named_group(char32_t end, Options options, std::size_t depth) {
    const std::u32string name = in_.take_until(end, "a group's name");
    if (name.empty() || is_digit_of_expression(name.front()) || name.front() == U'-')
      in_.fail("a group's name that is no name");
    open_capture();
    groups_.names[name].push_back(groups_.count);
    return close_group(options, depth, Atom::characters);
  }

  // After "(".
  Atom group(Options& options, std::size_t depth) {
    if (in_.sees(U'*')) in_.fail("(* is not supported");
    if (!in_.take(U'?')) {
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
    if (in_.take(U':')) return plain("(?:", Atom::characters);
    if (in_.take(U'>')) return plain("(?>", Atom::characters);
    if (in_.take(U'=')) return plain("(?=", Atom::place);
    if (in_.take(U'!')) return plain("(?!", Atom::place);
    if (in_.take(U'\'')) return named_group(U'\'', options, depth);
    if (!in_.take(U'<')) return options_group(options, depth);
    const bool is_wanted = in_.take(U'=');
    if (!is_wanted && !in_.take(U'!')) return named_group(U'>', options, depth);
    ++behind_;
    plain(is_wanted ? "(?<=" : "(?<!", Atom::place);
    --behind_;
    return Atom::place;
  }

  // (?imx-imx:...), or (?imx-imx) to the end of the group around it.
  Atom options_group(Options& options, std::size_t depth) {
    Options inner = options;
    for (bool value = true;;) {
      const char32_t c = in_.next("(?");
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
        in_.fail("(?" + letter + " is not supported");
      }
    }
  }

  // After a backslash, not within brackets.
  Atom escape(Options options) {
    if (const auto set = in_.class_escape(false)) {
      add_set(*set, options);
      return Atom::characters;
    }
    if (in_.at_end()) in_.fail("a backslash at the end");
    const char32_t c = in_.seen();
    const auto is = [&](Atom kind, std::string_view text) {
      in_.skip();
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
        if (behind_ > 0) in_.fail("\\R is not supported where it looks behind");
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
        in_.fail(std::string("\\").append(1, static_cast<char>(c)).append(" is not supported"));
      case U'k':
        in_.skip();
        add_named_reference();
        return Atom::characters;
      default:
        if (is_digit_of_expression(c) && c != U'0' && add_numbered_reference()) return Atom::characters;
        add_character(in_.escaped(), options);
        return Atom::characters;
    }
  }

  // Repetition.

  Atom atom(Options& options, std::size_t depth) {
    const std::size_t begin = in_.place();
    if (in_.quantifier()) {
      in_.go_to(begin);
      in_.fail("nothing to repeat");
    }
    const char32_t c = in_.next("an expression");
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

  // Up to the end of a group.
  void body(Options options, std::size_t depth) {
    if (depth > kMaxDepth) in_.fail("( nested too deep");
    std::size_t opened = 0;  // by options
    for (in_.skip_ignored(options.is_extended); !in_.at_end() && !in_.sees(U')');
         in_.skip_ignored(options.is_extended)) {
      if (in_.take(U'|')) {
        out_ += '|';
        continue;
      }
      const std::size_t begin = out_.size();
      const Atom kind = atom(options, depth);
      if (kind == Atom::options) {
        if (++opened > kMaxDepth) in_.fail("too many options");
        continue;
      }
      repeat(begin, kind, options);
    }
    out_.append(opened, ')');
  }

  // What was added from `begin` on.
  void repeat(std::size_t begin, Atom kind, Options options) {
    for (std::size_t count = 0;; ++count) {
      in_.skip_ignored(options.is_extended);
      const auto text = in_.quantifier();
      if (!text) return;
      if (kind == Atom::place) in_.fail("a place of no width cannot be repeated");
      if (count == kMaxQuantifiers) in_.fail("too many quantifiers");
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

  OnigurumaReader in_;
  std::string out_;
  const Groups* all_;
  Groups groups_;
  std::size_t behind_ = 0;  // groups that look behind, around this place
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
