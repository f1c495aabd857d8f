#include "text/unicode/newer_unicode.hpp"

#include <unicode/uchar.h>

#include <algorithm>
#include <iterator>

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

}  // namespace headwater
