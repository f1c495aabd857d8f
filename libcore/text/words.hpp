// Splitting standardised text into words or characters.
#pragma once

#include <string>
#include <string_view>

#include "support/utf8.hpp"
#include "text/standardize.hpp"

namespace headwater {

enum class SplitKind { word, character };

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

}  // namespace headwater
