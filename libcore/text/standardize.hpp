// Standardisation of text before it is split (libcore/FORMATS.md, tokenizers): lower case and deletion of
// punctuation.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace headwater {

enum class Standardization { none, lower, strip_punctuation, lower_and_strip_punctuation };

// ascii: A-Z only, the framework's default. unicode: every code point (append_unicode_lower).
enum class Lowering { ascii, unicode };

struct StandardizeSettings {
  Standardization standardize = Standardization::lower_and_strip_punctuation;
  Lowering lower = Lowering::ascii;
  bool operator==(const StandardizeSettings&) const = default;

  bool lowers() const {
    return standardize == Standardization::lower ||
           standardize == Standardization::lower_and_strip_punctuation;
  }
  bool strips() const {
    return standardize == Standardization::strip_punctuation ||
           standardize == Standardization::lower_and_strip_punctuation;
  }
};

// The words of recipes and options: "lower_and_strip_punctuation", ...; "ascii", "unicode". Parsing throws
// UsageError with all of them.
std::string_view name_of(Standardization standardization);
std::string_view name_of(Lowering lowering);
Standardization parse_standardization(std::string_view name);
Lowering parse_lowering(std::string_view name);

// What becomes of each byte: itself or another byte, nothing (kDeleted), or the end of a word (kSeparator).
// Exact for UTF-8, as all that is changed is ASCII.
inline constexpr std::uint16_t kDeleted = 256, kSeparator = 257;
using ByteMap = std::array<std::uint16_t, 256>;
// `white_space_separates`: the bytes space \t \n \v \f \r become kSeparator.
enum class WhiteSpace { kept, separates };
ByteMap byte_map(const StandardizeSettings& settings, WhiteSpace white_space);

// Of the 32 ASCII punctuation characters.
constexpr bool is_ascii_punctuation(unsigned char c) {
  return (c >= 0x21 && c <= 0x2F) || (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) ||
         (c >= 0x7B && c <= 0x7E);
}

// White space of the C locale, the only one that separates words.
constexpr bool is_ascii_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string standardize(std::string_view text, const StandardizeSettings& settings);

}  // namespace headwater
