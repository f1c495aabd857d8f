// Added tokens of a tokenizer.json that are not special: they are found in a text before its other parts see
// it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/word_table.hpp"

namespace headwater {

inline constexpr std::size_t kMostAddedBytes = 256;  // of one

struct AddedToken {
  std::string content;
  std::int32_t id = -1;                          // -1: it stays text, and none inside it is found
  bool single_word = false;                      // not where a word goes on before or after it
  bool takes_left = false, takes_right = false;  // the white space beside it, too
};

// A part of a text: an added token, or text between them (id -1).
struct AddedPart {
  std::string_view text;
  std::int32_t id = -1;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  // The contents are not empty; of equal ones the first counts.
  explicit AddedTokens(std::vector<AddedToken> tokens);
  bool empty() const { return tokens_.empty(); }
  // The parts of `text` from the left, none empty. At each place the longest token is taken.
  std::vector<AddedPart> split(std::string_view text) const;

 private:
  const AddedToken* longest_at(std::string_view text) const;
  std::vector<AddedToken> tokens_;
  WordTable table_;                   // content -> index
  std::vector<std::size_t> lengths_;  // of contents, descending, each once
  std::vector<bool> begins_;          // by byte: whether a content begins so
};

}  // namespace headwater
