#include "text/unicode/unicode_properties.hpp"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>
#include <unicode/utypes.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/unicode/standardize.hpp"

namespace headwater {

namespace {

constexpr auto kLl = U_LOWERCASE_LETTER;
constexpr auto kLm = U_MODIFIER_LETTER;
constexpr auto kLo = U_OTHER_LETTER;
constexpr auto kLu = U_UPPERCASE_LETTER;
constexpr auto kMc = U_COMBINING_SPACING_MARK;
constexpr auto kMn = U_NON_SPACING_MARK;
constexpr auto kNd = U_DECIMAL_DIGIT_NUMBER;
constexpr auto kPd = U_DASH_PUNCTUATION;
constexpr auto kPo = U_OTHER_PUNCTUATION;
constexpr auto kSm = U_MATH_SYMBOL;
constexpr auto kSo = U_OTHER_SYMBOL;

// The Unicode Character Database 16.0 against 15.0: UnicodeData.txt, DerivedCoreProperties.txt.
constexpr NewerCharacters kNewer[] = {
    {0x897, 0x897, kMn, true},      {0x1B4E, 0x1B4F, kPo, false},   {0x1B7F, 0x1B7F, kPo, false},
    {0x1C89, 0x1C89, kLu, true},    {0x1C8A, 0x1C8A, kLl, true},    {0x2427, 0x2429, kSo, false},
    {0x2FFC, 0x2FFF, kSo, false},   {0x31E4, 0x31E5, kSo, false},   {0x31EF, 0x31EF, kSo, false},
    {0xA7CB, 0xA7CC, kLu, true},    {0xA7CD, 0xA7CD, kLl, true},    {0xA7DA, 0xA7DA, kLu, true},
    {0xA7DB, 0xA7DB, kLl, true},    {0xA7DC, 0xA7DC, kLu, true},    {0x105C0, 0x105F3, kLo, true},
    {0x10D40, 0x10D49, kNd, false}, {0x10D4A, 0x10D4D, kLo, true},  {0x10D4E, 0x10D4E, kLm, true},
    {0x10D4F, 0x10D4F, kLo, true},  {0x10D50, 0x10D65, kLu, true},  {0x10D69, 0x10D69, kMn, true},
    {0x10D6A, 0x10D6D, kMn, false}, {0x10D6E, 0x10D6E, kPd, false}, {0x10D6F, 0x10D6F, kLm, true},
    {0x10D70, 0x10D85, kLl, true},  {0x10D8E, 0x10D8F, kSm, false}, {0x10EC2, 0x10EC4, kLo, true},
    {0x10EFC, 0x10EFC, kMn, true},  {0x11380, 0x11389, kLo, true},  {0x1138B, 0x1138B, kLo, true},
    {0x1138E, 0x1138E, kLo, true},  {0x11390, 0x113B5, kLo, true},  {0x113B7, 0x113B7, kLo, true},
    {0x113B8, 0x113BA, kMc, true},  {0x113BB, 0x113C0, kMn, true},  {0x113C2, 0x113C2, kMc, true},
    {0x113C5, 0x113C5, kMc, true},  {0x113C7, 0x113CA, kMc, true},  {0x113CC, 0x113CD, kMc, true},
    {0x113CE, 0x113CE, kMn, false}, {0x113CF, 0x113CF, kMc, false}, {0x113D0, 0x113D0, kMn, false},
    {0x113D1, 0x113D1, kLo, true},  {0x113D2, 0x113D2, kMn, false}, {0x113D3, 0x113D3, kLo, true},
    {0x113D4, 0x113D5, kPo, false}, {0x113D7, 0x113D8, kPo, false}, {0x113E1, 0x113E2, kMn, false},
    {0x116D0, 0x116E3, kNd, false}, {0x1171E, 0x1171E, kMc, true},  {0x11BC0, 0x11BE0, kLo, true},
    {0x11BE1, 0x11BE1, kPo, false}, {0x11BF0, 0x11BF9, kNd, false}, {0x11F5A, 0x11F5A, kMn, false},
    {0x13460, 0x143FA, kLo, true},  {0x16100, 0x1611D, kLo, true},  {0x1611E, 0x16129, kMn, true},
    {0x1612A, 0x1612C, kMc, true},  {0x1612D, 0x1612E, kMn, true},  {0x1612F, 0x1612F, kMn, false},
    {0x16130, 0x16139, kNd, false}, {0x16D40, 0x16D42, kLm, true},  {0x16D43, 0x16D6A, kLo, true},
    {0x16D6B, 0x16D6C, kLm, true},  {0x16D6D, 0x16D6F, kPo, false}, {0x16D70, 0x16D79, kNd, false},
    {0x18CFF, 0x18CFF, kLo, true},  {0x1CC00, 0x1CCEF, kSo, false}, {0x1CCF0, 0x1CCF9, kNd, false},
    {0x1CD00, 0x1CEB3, kSo, false}, {0x1E5D0, 0x1E5ED, kLo, true},  {0x1E5EE, 0x1E5EF, kMn, false},
    {0x1E5F0, 0x1E5F0, kLo, true},  {0x1E5F1, 0x1E5FA, kNd, false}, {0x1E5FF, 0x1E5FF, kPo, false},
    {0x1F8B2, 0x1F8BB, kSo, false}, {0x1F8C0, 0x1F8C1, kSo, false}, {0x1FA89, 0x1FA89, kSo, false},
    {0x1FA8F, 0x1FA8F, kSo, false}, {0x1FABE, 0x1FABE, kSo, false}, {0x1FAC6, 0x1FAC6, kSo, false},
    {0x1FADC, 0x1FADC, kSo, false}, {0x1FADF, 0x1FADF, kSo, false}, {0x1FAE9, 0x1FAE9, kSo, false},
    {0x1FBCB, 0x1FBEF, kSo, false}, {0x2EBF0, 0x2EE5D, kLo, true},
};

}  // namespace

std::span<const NewerCharacters> newer_characters() { return kNewer; }

int general_category(char32_t code_point) {
  const int category = u_charType(static_cast<UChar32>(code_point));
  constexpr char32_t kChanged = 0x1171E;  // the only one that had another category before
  if (category != U_UNASSIGNED && code_point != kChanged) return category;
  const auto* after = std::upper_bound(std::begin(kNewer), std::end(kNewer), code_point,
                                       [](char32_t c, const NewerCharacters& row) { return c < row.first; });
  if (after == std::begin(kNewer) || code_point > std::prev(after)->last) return category;
  return std::prev(after)->category;
}

namespace {

bool has_category(char32_t code_point, std::uint32_t mask) {
  return (U_MASK(general_category(code_point)) & mask) != 0;
}

CharacterClass class_in_unicode(char32_t code_point) {
  const std::uint32_t category = U_MASK(general_category(code_point));
  if ((category & U_GC_L_MASK) != 0) return CharacterClass::letter;
  if ((category & U_GC_N_MASK) != 0) return CharacterClass::number;
  return u_isUWhiteSpace(static_cast<UChar32>(code_point)) ? CharacterClass::space : CharacterClass::other;
}

}  // namespace

CharacterClass class_of_long(std::string_view text, std::size_t& at) {
  constexpr std::size_t kBasicPlane = 0x10000;
  static const std::array<CharacterClass, kBasicPlane> kClasses = [] {
    std::array<CharacterClass, kBasicPlane> classes{};
    for (char32_t c = 0; c < kBasicPlane; ++c) classes[c] = class_in_unicode(c);
    return classes;
  }();
  const char32_t code_point = next_code_point(text, at);
  return code_point < kBasicPlane ? kClasses[code_point] : class_in_unicode(code_point);
}

bool is_punctuation(char32_t code_point) { return has_category(code_point, U_GC_P_MASK); }

bool is_symbol(char32_t code_point) { return has_category(code_point, U_GC_S_MASK); }

bool is_number(char32_t code_point) { return has_category(code_point, U_GC_N_MASK); }

bool is_decimal_digit(char32_t code_point) { return has_category(code_point, U_GC_ND_MASK); }

bool is_currency_or_math(char32_t code_point) {
  return has_category(code_point, U_GC_SC_MASK | U_GC_SM_MASK);
}

std::string lowercase_unicode(std::string_view text) {
  std::string lowered;
  lowered.reserve(text.size());
  bool is_ascii = true;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) {
      is_ascii = false;
      break;
    }
    lowered.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
  }
  if (is_ascii) return lowered;
  lowered.clear();
  UErrorCode status = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink(&lowered);
  icu::CaseMap::utf8ToLower("", 0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())),
                            sink, nullptr, status);
  if (U_FAILURE(status)) throw Error(std::string("lower-casing failed: ") + u_errorName(status));
  return lowered;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (has_category(c, U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CC_MASK | U_GC_CF_MASK)) continue;
    const int east_asian = u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_EAST_ASIAN_WIDTH);
    width += east_asian == U_EA_WIDE || east_asian == U_EA_FULLWIDTH ? 2 : 1;
  }
  return width;
}

std::string_view trimmed(std::string_view text) {
  std::size_t begin = 0, end = 0;
  bool is_inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at, length = utf8_sequence_length(text.substr(at));
    const bool is_space = length > 0 && is_word_separator(next_code_point(text, at));
    if (length == 0) ++at;  // no character at all
    if (is_space) continue;
    if (!is_inside) begin = here;
    is_inside = true;
    end = at;
  }
  return text.substr(begin, end - begin);
}

namespace {

// In one of the categories already in Unicode 8.0.
bool has_old_category(char32_t code_point, std::uint32_t mask) {
  const auto c = static_cast<UChar32>(code_point);
  if ((U_GET_GC_MASK(c) & mask) == 0) return false;
  UVersionInfo age{};
  u_charAge(c, age);
  return age[0] <= 8;
}

// Three characters have changed their category since.
constexpr char32_t kChiSign = 0x166D, kSandhiMark = 0x111C9, kPamudpod = 0x1734;

}  // namespace

bool is_bert_punctuation(char32_t c) {
  if (c < 0x80) return is_ascii_punctuation(static_cast<unsigned char>(c));
  return c == kChiSign || c == kSandhiMark || has_old_category(c, U_GC_P_MASK);
}

bool is_bert_control(char32_t c) { return has_old_category(c, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK); }

bool is_bert_accent(char32_t c) {
  return c == kPamudpod || (c != kSandhiMark && has_old_category(c, U_GC_MN_MASK));
}

}  // namespace headwater
