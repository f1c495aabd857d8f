// Splitting standardised text into words, words and punctuation, or characters.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "support/utf8.hpp"
#include "text/unicode/standardize.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

// word_and_punctuation: every punctuation character and symbol is a token of its own, and a token that stands
// after white space, or first, begins with one space: joined by nothing, tokens are the text again.
enum class SplitKind { word, character, word_and_punctuation };

// Calls use(word) for each word of `text`: standardised by `map`, cut where the map says kSeparator, never
// empty. `scratch` is working memory; the view is valid during the call.
template <class Use>
void for_each_word(std::string_view text, const ByteMap& map, std::string& scratch, const Use& use) {
  if (scratch.size() < text.size() + 1) {
    scratch.resize(text.size() + 1);
  }
  char* const word = scratch.data();
  std::size_t length = 0;
  for (const char c : text) {
    const std::uint16_t to = map[static_cast<unsigned char>(c)];
    word[length] = static_cast<char>(to);  // overwritten unless the byte is kept
    length += to < kDeleted;
    if (to == kSeparator) {
      if (length != 0) {
        use(std::string_view(word, length));
      }
      length = 0;
    }
  }
  if (length != 0) {
    use(std::string_view(word, length));
  }
}

// Calls use(piece) for each word and each character of categories P and S; `scratch` and the view as above.
template <class Use>
void for_each_word_and_punctuation(std::string_view text, const ByteMap& map, std::string& scratch,
                                   const Use& use) {
  scratch.resize(std::max(scratch.size(), text.size() + 2));
  char* const piece = scratch.data();
  piece[0] = ' ';
  std::size_t end = 1;  // of the piece, whose first byte stands behind the space that it may get
  bool is_after_space = true;
  const auto finish = [&] {
    if (end > 1) {
      use(is_after_space ? std::string_view(piece, end) : std::string_view(piece + 1, end - 1));
      is_after_space = false;
    }
    end = 1;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto byte = static_cast<unsigned char>(text[at]);
    bool stands_alone = false;
    if (byte < 0x80) {
      ++at;
      const std::uint16_t to = map[byte];
      if (to == kSeparator) {
        finish();
        is_after_space = true;
      }
      if (to >= kDeleted) continue;
      stands_alone = is_ascii_punctuation(static_cast<unsigned char>(to));
      if (stands_alone) finish();
      piece[end++] = static_cast<char>(to);
    } else {
      if (utf8_sequence_length(text.substr(at)) == 0) {
        ++at;
      } else {
        const char32_t code_point = next_code_point(text, at);
        stands_alone = is_punctuation(code_point) || is_symbol(code_point);
      }
      if (stands_alone) finish();
      for (std::size_t i = begin; i < at; ++i) piece[end++] = text[i];
    }
    if (stands_alone) finish();
  }
  finish();
}

// Calls use(character) for each code point of `text` that the map keeps; an ill-formed byte counts as one.
template <class Use>
void for_each_character(std::string_view text, const ByteMap& map, const Use& use) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      const std::uint16_t to = map[byte];
      if (to < kDeleted) {
        const char kept = static_cast<char>(to);
        use(std::string_view(&kept, 1));
      }
      ++at;
    } else {
      const std::size_t length = std::max<std::size_t>(1, utf8_sequence_length(text.substr(at)));
      use(text.substr(at, length));
      at += length;
    }
  }
}

// The bytes of a text as they are split so.
inline ByteMap byte_map(const StandardizeSettings& settings, SplitKind split) {
  return byte_map(settings, split == SplitKind::character ? WhiteSpace::kept : WhiteSpace::separates);
}

// Calls use(token) for each token of a lower-cased text, split so by byte_map(settings, split).
template <class Use>
void for_each_token(SplitKind split, std::string_view text, const ByteMap& map, const Use& use) {
  std::string scratch;
  switch (split) {
    case SplitKind::word:
      return for_each_word(text, map, scratch, use);
    case SplitKind::word_and_punctuation:
      return for_each_word_and_punctuation(text, map, scratch, use);
    case SplitKind::character:
      return for_each_character(text, map, use);
  }
}

}  // namespace headwater
