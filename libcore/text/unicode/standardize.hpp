// Standardisation of text before it is split (libcore/FORMATS.md, tokenizers): lower case and deletion of
// punctuation.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/enum_names.hpp"

namespace headwater {

// unicode_punctuation: lower case, and what all of Unicode has as punctuation is deleted: categories P, Sc
// and Sm (quotes, dashes, ellipses, currency and mathematical signs) and ^ ` \u00A8 \u00AF \u00B4 \u00B8, but
// a point or comma between two digits. Emoji and other symbols stay. The others know ASCII only.
// lower_and_set_off_punctuation: lower case, "<br />" becomes a space, and a space goes before each ASCII
// punctuation mark: "it's (good)" becomes the words "it", "'s", "(good", ")".
enum class Standardization {
  lower_and_strip_punctuation,
  lower,
  strip_punctuation,
  none,
  unicode_punctuation,
  lower_and_set_off_punctuation
};
inline constexpr std::array kAllStandardizations = {Standardization::none,
                                                    Standardization::lower,
                                                    Standardization::strip_punctuation,
                                                    Standardization::lower_and_strip_punctuation,
                                                    Standardization::unicode_punctuation,
                                                    Standardization::lower_and_set_off_punctuation};

// ascii: A-Z only, the framework's default. unicode: every code point (append_unicode_lower).
enum class Lowering { ascii, unicode };

struct StandardizeSettings {
  Standardization standardize = Standardization::lower_and_strip_punctuation;
  Lowering lower = Lowering::ascii;
  bool operator==(const StandardizeSettings&) const = default;

  bool lowers() const {
    return standardize == Standardization::lower ||
           standardize == Standardization::lower_and_strip_punctuation || strips_unicode() || sets_off();
  }
  bool strips_ascii() const {
    return standardize == Standardization::strip_punctuation ||
           standardize == Standardization::lower_and_strip_punctuation;
  }
  bool strips_unicode() const { return standardize == Standardization::unicode_punctuation; }
  bool sets_off() const { return standardize == Standardization::lower_and_set_off_punctuation; }
  bool strips() const { return strips_ascii() || strips_unicode(); }
};

// The words of recipes and options; throw UsageError with all of them.
Standardization parse_standardization(std::string_view name);
Lowering parse_lowering(std::string_view name);

// The text after the steps that see more than single bytes: lower-casing of all of Unicode, stripping of its
// punctuation, setting off that of ASCII. byte_map says what is left to do. The result is `text` itself or in
// `scratch`.
std::string_view standardize_code_points(std::string_view text, const StandardizeSettings& settings,
                                         std::string& scratch);

// What setting off makes a space.
inline constexpr std::string_view kLineBreakTag = "<br />";

// What becomes of each byte: itself or another byte, nothing (kDeleted), or the end of a word (kSeparator).
// Exact for UTF-8, as all that is changed is ASCII. standardize_code_points comes first.
inline constexpr std::uint16_t kDeleted = 256, kSeparator = 257;
using ByteMap = std::array<std::uint16_t, 256>;
// `white_space_separates`: the bytes space \t \n \v \f \r become kSeparator.
enum class WhiteSpace { kept, separates };
ByteMap byte_map(const StandardizeSettings& settings, WhiteSpace white_space);

// Whether it is one of the 32 ASCII punctuation characters.
constexpr bool is_ascii_punctuation(unsigned char c) {
  return (c >= 0x21 && c <= 0x2F) || (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) ||
         (c >= 0x7B && c <= 0x7E);
}

// White space of the C locale, the only one that separates words.
constexpr bool is_ascii_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string standardize(std::string_view text, const StandardizeSettings& settings);

}  // namespace headwater
