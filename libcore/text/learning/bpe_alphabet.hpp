// The symbols that BPE begins with: which surfaces there are before any merge, and the words in them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/learning/bpe_learner.hpp"
#include "text/tokenizer/word_table.hpp"
#include "text/unicode/byte_level.hpp"

namespace headwater {

// The settings outlive it.
class BpeAlphabet {
 public:
  // Throws Error for a special token that is empty or stands twice.
  BpeAlphabet(const PieceCounts& counts, const BpeLearnerSettings& settings);

  std::vector<std::string>& surfaces() { return surfaces_; }
  bool is_special(std::int32_t id) const { return static_cast<std::size_t>(id) < special_; }
  std::int32_t add(const std::string& surface);
  // The id of a surface, or -1.
  std::int32_t find(std::string_view surface) const;
  // The symbols of a word; characters without a token are left out.
  void symbols_of(std::string_view word, std::vector<std::int32_t>& symbols) const;

 private:
  bool is_new(std::string_view surface) const { return ids_.find(surface) == nullptr; }
  std::vector<char32_t> characters(const PieceCounts& counts) const;
  std::vector<char32_t> frequent_characters(const PieceCounts& counts) const;
  // Calls use(surface) for each character of the word whose own surface has an id below `end`.
  template <class Use>
  void for_each_character_of(std::string_view word, std::size_t end, const Use& use) const;

  const BpeLearnerSettings& settings_;
  std::array<char32_t, 256> byte_alphabet_ = byte_level_alphabet();
  std::array<std::int32_t, 256> byte_ids_{};  // symbols of bytes, or of ASCII characters; -1: none
  std::vector<std::string> surfaces_;
  WordTable ids_;
  std::size_t special_ = 0, alphabet_end_ = 0;
};

}  // namespace headwater
