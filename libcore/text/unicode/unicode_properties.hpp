// Properties of single code points and simple case mapping, from ICU's tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headwater {

// The characters of Unicode 15.1 and 16.0, which an older ICU does not know and Hugging Face's library does.
struct NewerCharacters {
  char32_t first = 0, last = 0;
  std::int8_t category = 0;  // ICU's number
  bool is_alphabetic = false;
};
// In order.
std::span<const NewerCharacters> newer_characters();

// ICU's number of the general category, in Unicode 16.0 at least.
int general_category(char32_t code_point);

// General categories of The Unicode Standard, section 4.5.
bool is_punctuation(char32_t code_point);       // P*
bool is_symbol(char32_t code_point);            // S*
bool is_number(char32_t code_point);            // N*
bool is_decimal_digit(char32_t code_point);     // Nd
bool is_currency_or_math(char32_t code_point);  // Sc, Sm

// \p{L}, \p{N}, \s (property White_Space), and the rest: what GPT-2's expression tells apart.
enum class CharacterClass : std::uint8_t { other, letter, number, space };
// The class of the code point at text[at], which is moved after it. `text` is well-formed there.
CharacterClass class_of_long(std::string_view text, std::size_t& at);

// White space at which a text is split into words: categories Zs, Zl, Zp and bidirectional types WS, B and S,
// the set of Python's str.split. It holds U+001C to U+001F and U+0085, but neither U+200B nor U+FEFF.
constexpr bool is_word_separator(char32_t c) {
  if (c < 0x80) return c == U' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// Full lower-casing (SpecialCasing included, a final sigma too), independent of any language. `text` is
// well-formed UTF-8.
std::string lowercase_unicode(std::string_view text);

// Columns that a terminal or a fixed-width font gives to a well-formed text: 2 for East Asian wide and
// full-width characters, 0 for combining marks, controls and format characters, 1 for others.
std::size_t display_width(std::string_view text);

// A text without the white space around it, of which a label, say, has none.
std::string_view trimmed(std::string_view text);

// The classes of characters by which BERT's tokenizer cleans and splits a text. Hugging Face's library, whose
// ids are the reference, knows the categories of Unicode 8.0 there; characters of later versions are ordinary
// ones.
bool is_bert_punctuation(char32_t code_point);  // ASCII punctuation and symbols, and P*
bool is_bert_control(char32_t code_point);      // Cc, Cf and Co; TAB, LF and CR too
bool is_bert_accent(char32_t code_point);       // Mn

// The ideographs that get spaces around them: the library's blocks, with its slip at U+2B820 to U+2B91F.
constexpr bool is_bert_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

}  // namespace headwater
