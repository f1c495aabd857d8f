#include "text/unicode/bert_characters.hpp"

#include <unicode/uchar.h>

#include <cstdint>

#include "text/unicode/standardize.hpp"

namespace headwater {
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
