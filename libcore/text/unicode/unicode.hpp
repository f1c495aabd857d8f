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

// General categories M*.
bool is_mark(char32_t code_point);

// Whether normalisation may move it among its neighbours (Canonical_Combining_Class is not 0).
bool has_combining_class(char32_t code_point);

// A character of a word as regular expressions have it (Unicode Technical Standard 18, annex C): alphabetic,
// mark, decimal digit, connector punctuation, join control.
bool is_word_character(char32_t code_point);
// Whether one stands before the byte `at` of well-formed text, or begins there.
bool is_word_before(std::string_view text, std::size_t at);
bool is_word_at(std::string_view text, std::size_t at);

}  // namespace headwater
