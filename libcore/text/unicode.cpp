#include "text/unicode.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include "support/error.hpp"
#include "support/utf8.hpp"

namespace headwater {
namespace {

const icu::Normalizer2& normalizer(NormalizationForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* found = nullptr;
  switch (form) {
    case NormalizationForm::nfc:
      found = icu::Normalizer2::getNFCInstance(status);
      break;
    case NormalizationForm::nfd:
      found = icu::Normalizer2::getNFDInstance(status);
      break;
    case NormalizationForm::nfkc:
      found = icu::Normalizer2::getNFKCInstance(status);
      break;
    case NormalizationForm::nfkd:
      found = icu::Normalizer2::getNFKDInstance(status);
      break;
  }
  if (U_FAILURE(status) || found == nullptr) {
    throw Error(std::string("unicode normalisation: no data: ") + u_errorName(status) +
                " (install ICU's data)");
  }
  return *found;
}

}  // namespace

std::string unicode_normalize(std::string_view text, NormalizationForm form) {
  std::string out;
  icu::StringByteSink<std::string> sink(&out, static_cast<std::int32_t>(text.size()));
  UErrorCode status = U_ZERO_ERROR;
  normalizer(form).normalizeUTF8(0, {text.data(), static_cast<std::int32_t>(text.size())}, sink, nullptr,
                                 status);
  if (U_FAILURE(status)) {
    throw Error(std::string("unicode normalisation: ") + u_errorName(status));
  }
  return out;
}

void append_unicode_lower(std::string& out, std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      out.push_back(static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte));
      ++at;
      continue;
    }
    const std::size_t length = utf8_sequence_length(text.substr(at));
    if (length == 0) {  // ill-formed bytes pass unchanged
      out.push_back(text[at++]);
      continue;
    }
    const char32_t code_point = next_code_point(text, at);
    if (code_point == U'\u0130') {  // the only code point whose full lower case is longer than one
      out += "i\u0307";
    } else {
      append_utf8(out, static_cast<char32_t>(u_tolower(static_cast<UChar32>(code_point))));
    }
  }
}

bool is_white_space(char32_t code_point) { return u_isUWhiteSpace(static_cast<UChar32>(code_point)) != 0; }

bool is_mark(char32_t code_point) {
  return (U_GET_GC_MASK(static_cast<UChar32>(code_point)) & U_GC_M_MASK) != 0;
}

bool has_combining_class(char32_t code_point) {
  return u_getCombiningClass(static_cast<UChar32>(code_point)) != 0;
}

bool is_word_character(char32_t code_point) {
  const auto c = static_cast<UChar32>(code_point);
  constexpr std::uint32_t kMarksDigitsConnectors = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return u_isUAlphabetic(c) || (U_GET_GC_MASK(c) & kMarksDigitsConnectors) != 0 || c == 0x200C || c == 0x200D;
}

}  // namespace headwater
