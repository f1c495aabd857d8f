// The model WordLevel of tokenizer.json: a piece is a word of the vocabulary or unknown. Files that tokenize
// --learn word writes have a loop of their own instead (text/tokenizer/encoding.cpp).
#pragma once

#include <string>
#include <vector>

#include "text/tokenizer/token_model.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

class WordLevel final : public TokenModel {
 public:
  // `surfaces` in the order of their ids; an empty one is never found.
  WordLevel(const std::vector<std::string>& surfaces, std::int32_t unknown_id);
  void encode(std::string_view piece, std::vector<std::int32_t>& ids) const override;

 private:
  WordTable table_;
  std::int32_t unknown_id_;
};

}  // namespace headwater
