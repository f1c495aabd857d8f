// Learning a tokenizer from text: pieces are counted, then a vocabulary is made of the counts. Here that of
// words and characters (libcore/FORMATS.md, tokenizers): the most frequent first, ties by UTF-8 bytes
// descending. Subwords are in subword_learner.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/learning/piece_counts.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "text/tokenizer/tokenizer_json.hpp"
#include "text/tokenizer/words.hpp"

namespace headwater {

struct WordTokenizerSettings {
  SplitKind split = SplitKind::word;
  std::int64_t size = 15000;  // the most tokens, special ones counted
  StandardizeSettings standardize = {};
  bool has_start_end = false;                          // [START] and [END] after [PAD] and [UNK]
  std::vector<std::string> more_special = {};          // after them
  std::vector<std::string> user_defined_symbols = {};  // after them; not of words and punctuation
  TextTemplate text_template = TextTemplate::none;
};

// The same lines in any order, cut into any blocks, on any number of threads give the same bytes.
class TokenizerLearner {
 public:
  struct Summary {
    std::uint64_t tokens = 0;  // all pieces that were counted
    std::uint64_t distinct = 0;
    std::uint64_t covered = 0;  // of words and characters: those that the vocabulary holds
  };
  // From counts to the text of a tokenizer.json; fills `covered`.
  using Learn = std::function<std::string(PieceCounts& counts, Summary& figures)>;

  TokenizerLearner(PieceCounter::Count count, Learn learn, std::vector<std::string> symbols)
      : counter_(std::move(count)), learn_(std::move(learn)), symbols_(std::move(symbols)) {}
  // Throws UsageError where the size has no room for a word.
  explicit TokenizerLearner(const WordTokenizerSettings& settings);

  // Whole lines separated by LF (an LF is never part of a token). Large blocks are counted in parallel.
  void add(std::string_view lines) { counter_.add(lines); }
  // Pieces that were counted elsewhere.
  void add(std::string_view piece, std::uint64_t count) { counter_.add(piece, count); }

  // What was counted, which leaves nothing here: finish() is then for others.
  PieceCounts counts() { return counter_.finish(); }
  // Throws Error where nothing was counted, and UsageError where a symbol would be joined as another text.
  Tokenizer finish(Summary* summary = nullptr);

 private:
  PieceCounter counter_;
  Learn learn_;
  std::vector<std::string> symbols_;  // user-defined
};

// Throws UsageError where a vocabulary of so many tokens has no room beside its special ones.
void check_vocabulary_size(std::int64_t size, std::size_t special);
// [PAD], [UNK] where text may be unknown, [START] and [END] where they are wanted, those of the template,
// then those of `more` that are none of these. Throws UsageError for one that is empty or would break lines.
std::vector<std::string> special_tokens(bool has_unknown, bool has_start_end, TextTemplate text_template,
                                        const std::vector<std::string>& more);

}  // namespace headwater
