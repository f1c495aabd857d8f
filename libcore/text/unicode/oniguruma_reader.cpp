#include "text/unicode/oniguruma.hpp"

#include <algorithm>
#include <vector>

#include "support/error.hpp"
#include "support/utf8.hpp"

namespace headwater {
namespace {

constexpr std::uint32_t kMaxRepeats = 100000;  // Oniguruma's

}  // namespace

void OnigurumaReader::fail(const std::string& what) const {
  throw Error(what + " at character " + std::to_string(at_));
}

char32_t OnigurumaReader::next(const char* what) {
  if (at_end()) fail(std::string("the end inside ").append(what));
  return text_[at_++];
}

std::u32string OnigurumaReader::take_until(char32_t end, const char* what) {
  std::u32string taken;
  for (char32_t c = next(what); c != end; c = next(what)) taken += c;
  return taken;
}

void OnigurumaReader::spend(std::size_t ranges) {
  if (ranges > ranges_) fail("its sets of characters are too large together");
  ranges_ -= ranges;
}

CodePointSet OnigurumaReader::named(const std::string& name,
                                    std::optional<CodePointSet> (*find)(std::string_view)) {
  auto known = classes_.find({name, find});
  if (known == classes_.end()) {
    const auto set = find(name);
    if (!set) fail("unsupported class of characters " + quote(name));
    known = classes_.emplace(std::pair(name, find), *set).first;
  }
  spend(known->second.ranges().size());
  return known->second;
}

std::optional<CodePointSet> OnigurumaReader::class_escape(bool in_brackets) {
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

std::optional<CodePointSet> OnigurumaReader::bracket_class() {
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

OnigurumaReader::Brackets OnigurumaReader::brackets(std::size_t depth) {
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

char32_t OnigurumaReader::range_end(char32_t first) {
  ++at_;
  const char32_t c = next("[");
  if (c == U'[' || (c == U'\\' && class_escape(true))) fail("a range that ends with a class of characters");
  const char32_t last = c == U'\\' ? escaped() : c;
  if (last < first) fail("a range that ends before it begins");
  return last;
}

std::uint32_t OnigurumaReader::number(std::uint32_t base, std::size_t max_digits) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < max_digits && !at_end(); ++i) {
    const char32_t c = text_[at_];
    const char32_t lower = c | 0x20;
    const std::uint32_t digit = is_digit_of_expression(c)        ? c - U'0'
                                : lower >= U'a' && lower <= U'f' ? lower - U'a' + 10
                                                                 : base;
    if (digit >= base) break;
    value = value * base + digit;
    ++at_;
  }
  return value;
}

char32_t OnigurumaReader::in_braces(std::uint32_t base) {
  const std::size_t begin = at_;
  const char32_t c = number(base, 8);
  if (at_ == begin || !take(U'}') || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) fail("no code point in {}");
  return c;
}

char32_t OnigurumaReader::from_bytes(std::uint32_t byte) {
  std::string bytes(1, static_cast<char>(byte));
  while (utf8_sequence_length(bytes) == 0 && bytes.size() < 4 && sees(U'\\') && sees(U'x', 1)) {
    at_ += 2;
    bytes += static_cast<char>(number(16, 2));
  }
  if (utf8_sequence_length(bytes) != bytes.size()) fail("bytes that are not UTF-8 (write \\x{HHHH})");
  std::size_t at = 0;
  return next_code_point(bytes, at);
}

char32_t OnigurumaReader::escaped() {
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
      if (!is_digit_of_expression(c)) return c;
      if (c >= U'8') fail("a group that is not there");
      --at_;
      return number(8, 3) & 0xFF;
  }
}

std::optional<std::string> OnigurumaReader::interval() {
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
    if (value > kMaxRepeats || (!at_end() && is_digit_of_expression(text_[at_])))
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

std::optional<std::string> OnigurumaReader::quantifier() {
  for (const char mark : {'*', '+', '?'}) {
    if (!take(static_cast<char32_t>(mark))) continue;
    const std::string text(1, mark);
    return take(U'?') ? text + '?' : take(U'+') ? text + '+' : text;
  }
  return interval();
}

void OnigurumaReader::skip_ignored(bool is_extended) {
  while (!at_end()) {
    if (sees(U'(') && sees(U'?', 1) && sees(U'#', 2)) {
      at_ += 3;
      for (char32_t c = next("(?#"); c != U')'; c = next("(?#")) {
        if (c == U'\\') next("(?#");
      }
    } else if (is_extended &&
               (text_[at_] == U' ' || (text_[at_] >= U'\t' && text_[at_] <= U'\r' && text_[at_] != U'\v'))) {
      ++at_;
    } else if (is_extended && sees(U'#')) {
      at_ = std::min(text_.find(U'\n', at_), text_.size());
    } else {
      return;
    }
  }
}

}  // namespace headwater
