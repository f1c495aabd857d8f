// The "precompiled charsmap" of SentencePiece: rules that replace the longest sequence of bytes they know, as
// a double array of 32-bit units (those of the Darts-clone library) before the replacements, each ended by
// NUL.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

class Charsmap {
 public:
  // Without rules.
  Charsmap() = default;
  // `bytes` as they stand in a .model; none: no rules. Throws Error "what". Nothing in them is trusted: a way
  // that leads out of the array is no rule.
  explicit Charsmap(std::string_view bytes);

  struct Match {
    std::size_t length = 0;  // 0: no rule
    std::string_view replacement;
  };
  Match longest(std::string_view text) const;
  // The rule with the fewest bytes.
  Match shortest(std::string_view text) const;

  // Whether the character stays as it is when no byte from 0x80 on follows.
  bool keeps(unsigned char ascii) const { return keeps_[ascii]; }
  bool empty() const { return units_.empty(); }

 private:
  // Calls use(length, value) for each rule that `text` begins with, shorter ones first, until it says false;
  // false where the trie ends before the text.
  template <class Use>
  bool walk(std::string_view text, const Use& use) const;
  bool begins(std::string_view text) const;
  Match match(std::size_t length, std::uint32_t value) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;  // ends with NUL
  std::array<bool, 128> keeps_ = [] {
    std::array<bool, 128> all{};
    all.fill(true);
    return all;
  }();
};

}  // namespace headwater
