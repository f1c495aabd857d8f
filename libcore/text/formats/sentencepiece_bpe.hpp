// BPE as SentencePiece does it: neighbours are joined where the vocabulary has the result, the best score
// first, of equal ones the leftmost. There is no list of merges.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "text/formats/sentencepiece.hpp"
#include "text/models/piece_trie.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

class SentencePieceBpe {
 public:
  explicit SentencePieceBpe(const SentencePieceFile& file);

  // Whether the next join is left out.
  using Drop = std::function<bool()>;
  // Encodes a text of less than 2 GiB. Calls use(text, id) for each token; -1 for a character without a
  // piece.
  using Use = std::function<void(std::string_view text, std::int32_t id)>;
  void encode(std::string_view word, const Drop& drop, const Use& use) const;

 private:
  struct Symbol {
    std::uint32_t begin = 0, length = 0;
    std::int32_t previous = -1, next = -1;
    bool is_fixed = false;  // a user-defined symbol
  };
  struct Join {
    float score = 0;
    std::int32_t left = 0, right = 0;
    std::uint32_t length = 0;
  };
  struct Scratch {
    std::vector<Symbol> symbols;
    std::vector<Join> heap;
    WordTable unused;  // joined pieces that are not used: bytes of the left part
  };
  // The order of a heap whose top is the best.
  static bool is_later(const Join& a, const Join& b);
  void consider(std::string_view word, std::int32_t left, std::int32_t right, Scratch& scratch) const;
  void give(std::string_view piece, const Use& use, const Scratch& scratch) const;
  std::int32_t find(std::string_view piece) const {
    const WordTable::Entry* entry = ids_.find(piece);
    return entry == nullptr ? -1 : static_cast<std::int32_t>(entry->value);
  }

  WordTable ids_;
  std::vector<float> scores_;
  std::vector<bool> is_unused_;
  PieceTrie user_defined_;
};

}  // namespace headwater
