#include "text/unicode/unicode.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <vector>

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

// Whether normalisation may move what the character becomes before another. Most scripts' letters are passed
// without a look at their properties.
bool may_move(char32_t c) {
  constexpr char32_t kFirstMark = 0x300, kVoicedMark = 0xFF9E, kSemiVoicedMark = 0xFF9F;
  if (c < kFirstMark || (c >= 0x3100 && c < 0xA66F) || (c >= 0xAC00 && c < 0xFB1E)) return false;
  return c == kVoicedMark || c == kSemiVoicedMark ||
         u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_LEAD_CANONICAL_COMBINING_CLASS) != 0;
}

// ICU sorts marks one by one into those before them: the time is the square of their number.
bool has_many_marks_together(std::string_view text) {
  constexpr std::size_t kMany = 64;
  std::size_t together = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(at));
    if (length < 2) {
      ++at;
      together = 0;
      continue;
    }
    together = may_move(next_code_point(text, at)) ? together + 1 : 0;
    if (together > kMany) return true;
  }
  return false;
}

struct Character {
  char32_t code_point = 0;
  std::uint8_t combining_class = 0;
};

// Each character's decomposition, and marks in the order of their classes.
std::vector<Character> decompose(std::string_view text, const icu::Normalizer2& rules) {
  std::vector<Character> characters;
  const auto add = [&](UChar32 c) {
    characters.push_back({static_cast<char32_t>(c), rules.getCombiningClass(c)});
  };
  icu::UnicodeString parts;
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<UChar32>(next_code_point(text, at));
    if (!rules.getDecomposition(c, parts)) {
      add(c);
      continue;
    }
    for (std::int32_t i = 0; i < parts.length(); i = parts.moveIndex32(i, 1)) add(parts.char32At(i));
  }
  const auto is_starter = [](const Character& c) { return c.combining_class == 0; };
  for (auto at = characters.begin(); at != characters.end();) {
    const auto begin = std::find_if_not(at, characters.end(), is_starter);
    at = std::find_if(begin, characters.end(), is_starter);
    std::stable_sort(begin, at, [](const Character& a, const Character& b) {
      return a.combining_class < b.combining_class;
    });
  }
  return characters;
}

// The canonical composition algorithm (The Unicode Standard, section 3.11), in place.
void compose(std::vector<Character>& characters, const icu::Normalizer2& rules) {
  std::size_t kept = 0, starter = 0;
  bool has_starter = false;
  for (const Character c : characters) {
    // Adjacent to the starter, or after marks of lower classes alone.
    const bool is_blocked = kept > starter + 1 && characters[kept - 1].combining_class >= c.combining_class;
    if (has_starter && !is_blocked) {
      const UChar32 composite = rules.composePair(static_cast<UChar32>(characters[starter].code_point),
                                                  static_cast<UChar32>(c.code_point));
      if (composite >= 0) {
        characters[starter].code_point = static_cast<char32_t>(composite);
        continue;
      }
    }
    if (c.combining_class == 0) {
      starter = kept;
      has_starter = true;
    }
    characters[kept++] = c;
  }
  characters.resize(kept);
}

// In time that grows as the text.
std::string normalize_many_marks(std::string_view text, NormalizationForm form) {
  const bool is_canonical = form == NormalizationForm::nfc || form == NormalizationForm::nfd;
  const icu::Normalizer2& rules = normalizer(is_canonical ? NormalizationForm::nfc : NormalizationForm::nfkc);
  std::vector<Character> characters = decompose(text, rules);
  if (form == NormalizationForm::nfc || form == NormalizationForm::nfkc) compose(characters, rules);
  std::string out;
  for (const Character& c : characters) append_utf8(out, c.code_point);
  return out;
}

}  // namespace

std::string unicode_normalize(std::string_view text, NormalizationForm form) {
  if (has_many_marks_together(text)) return normalize_many_marks(text, form);
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

bool is_word_before(std::string_view text, std::size_t at) {
  if (at == 0) return false;
  std::size_t before = at - 1;
  while (before > 0 && is_inside_character(text, before)) --before;
  return is_word_character(next_code_point(text, before));
}

bool is_word_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_word_character(next_code_point(text, at));
}

}  // namespace headwater
