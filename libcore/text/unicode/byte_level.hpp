// Byte-level text as GPT-2 has it (Radford et al. 2019): how a text is split into pieces, and the printable
// characters that stand for bytes in vocabularies (libcore/FORMATS.md, tokenizer.json).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/unicode/unicode_properties.hpp"

namespace headwater {

// The code point that stands for a byte: bytes 33-126, 161-172 and 174-255 for themselves, the other 68 for
// U+0100 and up in increasing order.
std::array<char32_t, 256> byte_level_alphabet();
// Every byte of `bytes` as its character, in UTF-8.
std::string byte_level_text(std::string_view bytes);
// The inverse: appends the bytes. False, with `bytes` as it was, where a character stands for none.
bool append_byte_level_bytes(std::string_view text, std::string& bytes);

namespace detail {

constexpr std::array<CharacterClass, 128> ascii_classes() {
  std::array<CharacterClass, 128> classes{};
  for (std::size_t c = 0; c < 128; ++c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    classes[c] = is_letter                              ? CharacterClass::letter
                 : c >= '0' && c <= '9'                 ? CharacterClass::number
                 : c == ' ' || (c >= '\t' && c <= '\r') ? CharacterClass::space
                                                        : CharacterClass::other;
  }
  return classes;
}
inline constexpr std::array<CharacterClass, 128> kAsciiClasses = ascii_classes();

// The class of the code point at text[at], which is moved after it.
inline CharacterClass next_class(std::string_view text, std::size_t& at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) {
    ++at;
    return kAsciiClasses[byte];
  }
  return class_of_long(text, at);
}

// Where the run of characters of one class that goes on at `at` ends.
inline std::size_t end_of_run(std::string_view text, std::size_t at, CharacterClass wanted) {
  while (at < text.size()) {
    std::size_t after = at;
    if (next_class(text, after) != wanted) break;
    at = after;
  }
  return at;
}

// Bytes of 's 't 're 've 'm 'll 'd at text[at], which is an apostrophe; else 0.
inline std::size_t contraction(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return 0;
  const char first = text[at + 1];
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if (at + 2 >= text.size()) return 0;
  const char second = text[at + 2];
  const bool is_one =
      (first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l');
  return is_one ? 3 : 0;
}

// The end of the white space from `begin` that is one piece: `at` is after its first character. The last one
// before other text is left to that text, or alone.
inline std::size_t end_of_space(std::string_view text, std::size_t begin, std::size_t at) {
  std::size_t last = begin;
  while (at < text.size()) {
    std::size_t after = at;
    if (next_class(text, after) != CharacterClass::space) break;
    last = at;
    at = after;
  }
  return at == text.size() || last == begin ? at : last;
}

}  // namespace detail

// Calls use(piece) for each match of GPT-2's expression, which leaves nothing out:
// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
template <class Use>
void for_each_byte_level_piece(std::string_view text, const Use& use) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t at = begin;
    CharacterClass first = detail::next_class(text, at);
    std::size_t end = at;
    if (first == CharacterClass::space) {
      std::size_t after = at;
      const CharacterClass second =
          text[begin] == ' ' && at < text.size() ? detail::next_class(text, after) : CharacterClass::space;
      end = second == CharacterClass::space ? detail::end_of_space(text, begin, at)
                                            : detail::end_of_run(text, after, second);
    } else {
      const std::size_t suffix = text[begin] == '\'' ? detail::contraction(text, begin) : 0;
      end = suffix != 0 ? begin + suffix : detail::end_of_run(text, at, first);
    }
    use(text.substr(begin, end - begin));
    begin = end;
  }
}

}  // namespace headwater
