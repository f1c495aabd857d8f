// Unicode beyond the shape of UTF-8: normalisation forms, lower-casing and the character properties that
// splitting needs.
#pragma once

#include <string>
#include <string_view>

namespace headwater {

enum class NormalizationForm { nfc, nfd, nfkc, nfkd };

// The text in a normalisation form (Unicode Standard Annex 15). The result of a concatenation may differ from
// the concatenation of the results: normalise whole lines.
std::string unicode_normalize(std::string_view text, NormalizationForm form);

// Appends `text` in lower case. Every code point is mapped alone by its full mapping in the root locale,
// without regard to its neighbours, so that a final sigma stays as any other and pieces may be mapped apart.
void append_unicode_lower(std::string& out, std::string_view text);

// Property White_Space.
bool is_white_space(char32_t code_point);

// General categories: C* (controls, format characters, unassigned), M*, Mn.
bool is_other(char32_t code_point);
bool is_mark(char32_t code_point);
bool is_nonspacing_mark(char32_t code_point);

// The blocks of CJK ideographs that BERT puts spaces around.
constexpr bool is_cjk_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B820 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

// A character of a word as regular expressions have it (Unicode Technical Standard 18, annex C): alphabetic,
// mark, decimal digit, connector punctuation, join control.
bool is_word_character(char32_t code_point);

}  // namespace headwater
