// What SentencePiece does to a text before it cuts it: the rules of the charsmap, white space, the mark
// U+2581 for a space.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "text/formats/sentencepiece.hpp"
#include "text/models/piece_trie.hpp"
#include "text/unicode/charsmap.hpp"

namespace headwater {

class SentencePieceNormalizer {
 public:
  // Throws Error "where: normalizer_spec: what".
  SentencePieceNormalizer(const SentencePieceFile& file, std::string_view where);

  // Throws Error where the text grows beyond 16 times its bytes and 4 KiB, as normalize_part does.
  std::string normalize(std::string_view text) const;
  // The same without a dummy prefix, a space written as a space.
  std::string standardize(std::string_view text) const;

  // Whether words of printable ASCII stay as they are, and a run of spaces before another ASCII character
  // becomes one U+2581.
  bool keeps_ascii_words() const { return keeps_ascii_words_; }
  // With keeps_ascii_words(): appends what text[at, ...) becomes to `normal`, up to a space where a word of
  // ASCII may follow, and returns where that is. `at` is 0 or a space after a word; `bytes` are those of the
  // normalised text before it.
  std::size_t normalize_part(std::string_view text, std::size_t at, std::size_t bytes,
                             std::string& normal) const;

 private:
  // What the text begins with becomes, and how many bytes of it that replaces.
  Charsmap::Match next(std::string_view text) const;
  bool is_plain(char c) const {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 && is_copied_[byte];
  }

  struct Part {
    std::size_t at = 0, bytes = 0;
    bool stops_before_words = false;
    bool is_readable = false;  // without a dummy prefix, a space written as a space
  };
  std::size_t append(std::string_view text, Part part, std::string& normal) const;

  std::string where_;
  Charsmap charsmap_;
  PieceTrie user_defined_;             // text that no rule changes
  std::array<bool, 128> is_copied_{};  // ASCII characters that stay as they are before another
  bool keeps_space_ = false;           // the same of a space
  bool keeps_ascii_words_ = false;
  bool adds_dummy_prefix_, strips_;
  std::string_view space_;  // what a space becomes
};

}  // namespace headwater
