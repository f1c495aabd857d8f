// Learning the vocabulary of a word or character tokenizer (libcore/FORMATS.md, tokenizers): the most
// frequent first, ties by UTF-8 bytes descending.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "text/tokenizer.hpp"
#include "text/word_table.hpp"
#include "text/words.hpp"

namespace headwater {

struct WordTokenizerSettings {
  SplitKind split = SplitKind::word;
  std::int64_t size = 15000;  // the most tokens, special ones counted
  StandardizeSettings standardize = {};
  bool has_start_end = false;  // [START] and [END] after [PAD] and [UNK]
};

// The `most` entries with the highest counts: descending, ties by bytes descending. The order is total, so it
// does not depend on how the table was filled.
std::vector<WordTable::Entry> most_frequent(const WordTable& counts, std::size_t most);

// Counts tokens; the same lines in any order, cut into any blocks, on any number of threads give the same
// bytes.
class TokenizerLearner {
 public:
  // Throws UsageError where the size has no room for a word.
  explicit TokenizerLearner(const WordTokenizerSettings& settings);

  // Whole lines separated by LF (an LF is never part of a token). Large blocks are counted in parallel.
  void add(std::string_view lines);

  struct Summary {
    std::uint64_t tokens = 0;  // all that were counted
    std::uint64_t distinct = 0;
    std::uint64_t covered = 0;  // those that the vocabulary holds
  };
  // Throws Error where nothing was counted.
  Tokenizer finish(Summary* summary = nullptr);

 private:
  void count(std::string_view lines, WordTable& counts) const;

  WordTokenizerSettings settings_;
  ByteMap map_;
  // Tables are lent to one task at a time: there are as many as tasks ran at once. Sums of counts do not show
  // who counted what.
  std::vector<std::unique_ptr<WordTable>> tables_;
  std::mutex mutex_;
};

}  // namespace headwater
