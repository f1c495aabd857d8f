// Learning the vocabulary of a word or character tokenizer (libcore/FORMATS.md, tokenizers): the most
// frequent first, ties by UTF-8 bytes descending.
#pragma once

#include <cstdint>
#include <string_view>

#include "text/piece_counter.hpp"
#include "text/tokenizer.hpp"
#include "text/words.hpp"

namespace headwater {

struct WordTokenizerSettings {
  SplitKind split = SplitKind::word;
  std::int64_t size = 15000;  // the most tokens, special ones counted
  StandardizeSettings standardize = {};
  bool has_start_end = false;  // [START] and [END] after [PAD] and [UNK]
};

// Counts tokens; the same lines in any order, cut into any blocks, on any number of threads give the same
// bytes.
class TokenizerLearner {
 public:
  // Throws UsageError where the size has no room for a word.
  explicit TokenizerLearner(const WordTokenizerSettings& settings);

  // Whole lines separated by LF (an LF is never part of a token). Large blocks are counted in parallel.
  void add(std::string_view lines) { counter_.add(lines); }

  struct Summary {
    std::uint64_t tokens = 0;  // all that were counted
    std::uint64_t distinct = 0;
    std::uint64_t covered = 0;  // those that the vocabulary holds
  };
  // Throws Error where nothing was counted.
  Tokenizer finish(Summary* summary = nullptr);

 private:
  WordTokenizerSettings settings_;
  PieceCounter counter_;
};

}  // namespace headwater
