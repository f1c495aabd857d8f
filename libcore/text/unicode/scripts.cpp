#include "text/unicode/scripts.hpp"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "support/error.hpp"
#include "support/utf8.hpp"

namespace headwater {

namespace {

// Codes of ISO 15924 that no character has: mixed scripts, and styles of one.
std::vector<UScriptCode> parts_of(UScriptCode code) {
  switch (code) {
    case USCRIPT_JAPANESE:
      return {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA};
    case USCRIPT_KATAKANA_OR_HIRAGANA:
      return {USCRIPT_HIRAGANA, USCRIPT_KATAKANA};
    case USCRIPT_KOREAN:
      return {USCRIPT_HANGUL, USCRIPT_HAN};
    case USCRIPT_JAMO:
      return {USCRIPT_HANGUL};
    case USCRIPT_HAN_WITH_BOPOMOFO:
      return {USCRIPT_HAN, USCRIPT_BOPOMOFO};
    case USCRIPT_SIMPLIFIED_HAN:
    case USCRIPT_TRADITIONAL_HAN:
      return {USCRIPT_HAN};
    case USCRIPT_LATIN_FRAKTUR:
    case USCRIPT_LATIN_GAELIC:
      return {USCRIPT_LATIN};
    case USCRIPT_OLD_CHURCH_SLAVONIC_CYRILLIC:
      return {USCRIPT_CYRILLIC};
    case USCRIPT_ESTRANGELO_SYRIAC:
    case USCRIPT_EASTERN_SYRIAC:
    case USCRIPT_WESTERN_SYRIAC:
      return {USCRIPT_SYRIAC};
    case USCRIPT_KHUTSURI:
      return {USCRIPT_GEORGIAN};
    default:
      return {code};
  }
}

// Its letters are of many scripts, or of none.
bool is_shared(UScriptCode code) {
  return code == USCRIPT_COMMON || code == USCRIPT_INHERITED || code == USCRIPT_UNKNOWN;
}

}  // namespace

Scripts::Scripts(const std::string& name) {
  constexpr std::int32_t kMost = 8;
  UScriptCode codes[kMost];
  UErrorCode status = U_ZERO_ERROR;
  // "" would be the language of this machine.
  const std::int32_t count = uscript_getCode(name.c_str(), codes, kMost, &status);
  if (name.empty() || U_FAILURE(status) || count < 1 || codes[0] == USCRIPT_INVALID_CODE)
    throw Error("\"" + name + "\" is no script (Latin, Cyrillic, Han, ...) and no language (en, ja, ...)");
  for (const UScriptCode code : std::span(codes, static_cast<std::size_t>(count))) {
    for (const UScriptCode part : parts_of(code)) {
      UChar sample[8];
      if (is_shared(part) || uscript_getSampleString(part, sample, 8, &status) == 0)
        throw Error("\"" + name + "\" has no letters of its own (name a script: Latin, Cyrillic, Han, ...)");
      codes_.push_back(part);
    }
  }
}

double Scripts::share(std::string_view text) const {
  std::int64_t letters = 0, own = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<UChar32>(next_code_point(text, at));
    // Script extensions name the scripts of a letter that many share. Others, such as the micro sign, do not
    // count.
    if (!u_isalpha(c) || uscript_hasScript(c, USCRIPT_COMMON) || uscript_hasScript(c, USCRIPT_INHERITED))
      continue;
    ++letters;
    own += std::ranges::any_of(
        codes_, [&](int code) { return uscript_hasScript(c, static_cast<UScriptCode>(code)); });
  }
  return letters == 0 ? 1 : static_cast<double>(own) / static_cast<double>(letters);
}

}  // namespace headwater
