#include "text/unicode/character_classes.hpp"

#include <unicode/uchar.h>
#include <unicode/uniset.h>
#include <unicode/uscript.h>
#include <unicode/usetiter.h>

#include <algorithm>

#include "support/error.hpp"
#include "text/unicode/unicode_properties.hpp"

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

namespace {

CodePointSet from_icu(const icu::UnicodeSet& set) {
  std::vector<CodePointRange> ranges;
  for (std::int32_t i = 0; i < set.getRangeCount(); ++i)
    ranges.push_back(
        {static_cast<char32_t>(set.getRangeStart(i)), static_cast<char32_t>(set.getRangeEnd(i))});
  return CodePointSet(std::move(ranges));
}

CodePointSet with_property(UProperty property, std::int32_t value) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeSet set;
  set.applyIntPropertyValue(property, value, status);
  if (U_FAILURE(status)) throw Error(std::string("character properties: ") + u_errorName(status));
  return from_icu(set);
}

template <class Takes>
CodePointSet newer(const Takes& takes) {
  std::vector<CodePointRange> ranges;
  for (const NewerCharacters& row : newer_characters()) {
    if (takes(row)) ranges.push_back({row.first, row.last});
  }
  return CodePointSet(std::move(ranges));
}

CodePointSet category(std::uint32_t mask) {
  const CodePointSet older = with_property(UCHAR_GENERAL_CATEGORY_MASK, static_cast<std::int32_t>(mask)) &
                             newer([](const auto&) { return true; }).complement();
  return older | newer([&](const NewerCharacters& row) { return (U_MASK(row.category) & mask) != 0; });
}

CodePointSet alphabetic() {
  // Marks that became alphabetic in Unicode 16.0.
  static const CodePointSet kMarks({{0x363, 0x36F}, {0x1DD3, 0x1DE6}});
  return with_property(UCHAR_ALPHABETIC, 1) | kMarks |
         newer([](const NewerCharacters& row) { return row.is_alphabetic; });
}

CodePointSet cased_letters(UProperty property, std::int8_t of_category) {
  return with_property(property, 1) |
         newer([&](const NewerCharacters& row) { return row.category == of_category; });
}

CodePointSet white_space() { return with_property(UCHAR_WHITE_SPACE, 1); }

CodePointSet graph() {
  return (white_space() | category(U_GC_CC_MASK | U_GC_CS_MASK | U_GC_CN_MASK)).complement();
}

// Superscript two, three and one, one quarter, one half and three quarters: Oniguruma's table for Latin-1.
const CodePointSet& latin_numbers() {
  static const CodePointSet kNumbers({{0xB2, 0xB3}, {0xB9, 0xB9}, {0xBC, 0xBE}});
  return kNumbers;
}

icu::UnicodeSet to_icu(const CodePointSet& set) {
  icu::UnicodeSet out;
  for (const auto& [first, last] : set.ranges())
    out.add(static_cast<UChar32>(first), static_cast<UChar32>(last));
  return out;
}

// Pairs of Unicode 16.0: from `other` on stand the other cases of first to last.
struct NewerPairs {
  char32_t first, last, other;
};
constexpr NewerPairs kNewerPairs[] = {{0x19B, 0x19B, 0xA7DC},   {0x264, 0x264, 0xA7CB},
                                      {0x1C89, 0x1C89, 0x1C8A}, {0xA7CC, 0xA7CC, 0xA7CD},
                                      {0xA7DA, 0xA7DA, 0xA7DB}, {0x10D50, 0x10D65, 0x10D70}};

CodePointSet newer_other_case(const CodePointSet& set) {
  std::vector<CodePointRange> found;
  const auto add = [&](char32_t from, char32_t to) {
    if (set.contains(from)) found.push_back({to, to});
  };
  for (const auto& [first, last, other] : kNewerPairs) {
    for (char32_t c = first; c <= last; ++c) {
      add(c, other + (c - first));
      add(other + (c - first), c);
    }
  }
  return CodePointSet(std::move(found));
}

// Closing a set over case looks at each of its characters; few have another case.
const CodePointSet& has_case() {
  static const CodePointSet kCased = with_property(UCHAR_CASE_SENSITIVE, 1) |
                                     with_property(UCHAR_CHANGES_WHEN_CASEMAPPED, 1) |
                                     with_property(UCHAR_CHANGES_WHEN_CASEFOLDED, 1);
  return kCased;
}

icu::UnicodeSet closed_over_case(const CodePointSet& set) {
  icu::UnicodeSet closed = to_icu(set & has_case());
  closed.closeOver(USET_CASE_INSENSITIVE);
  return closed;
}

// Yes-or-no properties in which Unicode 15.0 and 16.0 agree on the characters of 15.0.
bool is_settled(UProperty property) {
  switch (property) {
    case UCHAR_ASCII_HEX_DIGIT:
    case UCHAR_BIDI_CONTROL:
    case UCHAR_DEFAULT_IGNORABLE_CODE_POINT:
    case UCHAR_EMOJI:
    case UCHAR_EMOJI_COMPONENT:
    case UCHAR_EMOJI_MODIFIER:
    case UCHAR_EMOJI_MODIFIER_BASE:
    case UCHAR_EMOJI_PRESENTATION:
    case UCHAR_EXTENDED_PICTOGRAPHIC:
    case UCHAR_HEX_DIGIT:
    case UCHAR_IDEOGRAPHIC:
    case UCHAR_JOIN_CONTROL:
    case UCHAR_NONCHARACTER_CODE_POINT:
    case UCHAR_PATTERN_SYNTAX:
    case UCHAR_PATTERN_WHITE_SPACE:
    case UCHAR_QUOTATION_MARK:
    case UCHAR_RADICAL:
    case UCHAR_REGIONAL_INDICATOR:
    case UCHAR_SOFT_DOTTED:
    case UCHAR_UNIFIED_IDEOGRAPH:
    case UCHAR_VARIATION_SELECTOR:
    case UCHAR_WHITE_SPACE:
      return true;
    default:
      return false;
  }
}

bool has_newer(UProperty property, const NewerCharacters& row) {
  constexpr char32_t kUnifiedIdeographs = 0x2EBF0, kKhitanIdeograph = 0x18CFF;
  if (property == UCHAR_EMOJI || property == UCHAR_EMOJI_PRESENTATION)
    return row.first >= 0x1FA70 && row.last <= 0x1FAFF;
  return (row.first == kUnifiedIdeographs &&
          (property == UCHAR_UNIFIED_IDEOGRAPH || property == UCHAR_IDEOGRAPHIC)) ||
         (row.first == kKhitanIdeograph && property == UCHAR_IDEOGRAPHIC);
}

// The scripts that have most of the newer characters and texts.
bool is_newer_of(std::int32_t script, const NewerCharacters& row) {
  switch (script) {
    case USCRIPT_LATIN:
      return row.first >= 0xA7CB && row.last <= 0xA7DC;
    case USCRIPT_CYRILLIC:
      return row.first >= 0x1C89 && row.last <= 0x1C8A;
    case USCRIPT_HAN:
      return row.first == 0x2EBF0;
    default:
      return false;
  }
}

// Names are compared without case, spaces, hyphens and low lines.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == ' ' || c == '-' || c == '_') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  return plain;
}

}  // namespace

std::optional<CodePointSet> posix_class(std::string_view name) {
  if (name == "alnum") return alphabetic() | category(U_GC_ND_MASK);
  if (name == "alpha") return alphabetic();
  if (name == "ascii") return CodePointSet({{0, 0x7F}});
  if (name == "blank") return category(U_GC_ZS_MASK) | CodePointSet({{U'\t', U'\t'}});
  if (name == "cntrl") return category(U_GC_CC_MASK);
  if (name == "digit") return category(U_GC_ND_MASK);
  if (name == "graph") return graph();
  if (name == "lower") return cased_letters(UCHAR_LOWERCASE, U_LOWERCASE_LETTER);
  if (name == "print") return graph() | category(U_GC_ZS_MASK);
  if (name == "punct") return category(U_GC_P_MASK | U_GC_S_MASK);
  if (name == "space") return white_space();
  if (name == "upper") return cased_letters(UCHAR_UPPERCASE, U_UPPERCASE_LETTER);
  if (name == "xdigit") return CodePointSet({{U'0', U'9'}, {U'A', U'F'}, {U'a', U'f'}});
  if (name == "word") return alphabetic() | category(U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK);
  return std::nullopt;
}

std::optional<CodePointSet> property_class(std::string_view name) {
  const std::string plain = plain_name(name);
  if (plain == "any") return CodePointSet().complement();
  if (plain == "assigned") return category(U_GC_CN_MASK).complement();
  if (plain == "punct" || plain == "punctuation") return category(U_GC_P_MASK);
  if (plain == "word") return *posix_class(plain) | latin_numbers();
  if (plain == "alphabetic") return alphabetic();
  if (plain == "uppercase") return posix_class("upper");
  if (plain == "lowercase") return posix_class("lower");
  if (auto posix = posix_class(plain)) return posix;
  const std::int32_t mask = u_getPropertyValueEnum(UCHAR_GENERAL_CATEGORY_MASK, plain.c_str());
  if (mask != UCHAR_INVALID_CODE) return category(static_cast<std::uint32_t>(mask));
  if (const auto script = u_getPropertyValueEnum(UCHAR_SCRIPT, plain.c_str()); script != UCHAR_INVALID_CODE)
    return with_property(UCHAR_SCRIPT, script) |
           newer([&](const auto& row) { return is_newer_of(script, row); });
  if (const UProperty property = u_getPropertyEnum(plain.c_str()); is_settled(property))
    return with_property(property, 1) | newer([&](const auto& row) { return has_newer(property, row); });
  if (!plain.starts_with("in")) return std::nullopt;
  const auto block = u_getPropertyValueEnum(UCHAR_BLOCK, plain.c_str() + 2);
  if (block == UCHAR_INVALID_CODE) return std::nullopt;
  return with_property(UCHAR_BLOCK, block);
}

CodePointSet with_other_case(const CodePointSet& set) {
  return set | from_icu(closed_over_case(set)) | newer_other_case(set);
}

bool has_newer_case(char32_t code_point) {
  return !newer_other_case(CodePointSet({{code_point, code_point}})).empty();
}

std::vector<std::vector<CodePointSet>> strings_of_other_case(const CodePointSet& set) {
  const icu::UnicodeSet closed = closed_over_case(set);
  std::vector<std::vector<CodePointSet>> strings;
  for (icu::UnicodeSetIterator at(closed); at.next();) {
    if (!at.isString()) continue;
    std::vector<CodePointSet> places;
    const icu::UnicodeString& string = at.getString();
    for (std::int32_t i = 0; i < string.length(); i = string.moveIndex32(i, 1)) {
      const auto c = static_cast<char32_t>(string.char32At(i));
      places.push_back(with_other_case(CodePointSet({{c, c}})));
    }
    strings.push_back(std::move(places));
  }
  std::stable_sort(strings.begin(), strings.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return strings;
}

}  // namespace headwater
