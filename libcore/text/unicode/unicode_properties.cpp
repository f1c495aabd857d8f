#include "text/unicode/unicode_properties.hpp"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>
#include <unicode/utypes.h>

#include <array>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/unicode/newer_unicode.hpp"

namespace headwater {

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

}  // namespace headwater
