// Learning the terms of bags of words (libcore/FORMATS.md, n-gram tables): the most frequent n-grams first,
// ties by UTF-8 bytes descending.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/ngram_vocabulary.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

// The order of n-grams by what they stand for, not how they are written: whether a's bytes are greater.
bool has_greater_bytes(std::string_view a, std::string_view b);

// The most frequent n-grams. Keeps the tokens of all documents, 12 bytes each and each distinct one, and no
// n-gram.
class NgramCounts {
 public:
  explicit NgramCounts(std::int64_t longest) : longest_(static_cast<std::size_t>(longest)) {}
  void add(const TokenRow& document);

  struct Top {
    std::vector<NgramVocabulary::Term> terms;
    std::uint64_t documents = 0, ngrams = 0, distinct = 0, covered = 0;  // covered: n-grams that are terms
  };
  // The `most` most frequent, of equals those of greater bytes, without kUnknownTerm.
  Top top(std::size_t most) const;

 private:
  struct Run {
    std::span<const std::uint32_t> places;  // in symbols_
    std::uint32_t length = 0;               // tokens
    std::uint32_t at(std::uint32_t i) const { return places.front() + i; }
  };
  std::string_view token(std::uint32_t symbol) const { return tokens_.entries()[symbol - 1].word(); }
  std::string_view plain(std::uint32_t symbol) const;
  std::string text(const Run& run) const;
  bool greater(const Run& a, const Run& b) const;

  std::size_t longest_;
  WordTable tokens_;                      // value: symbol, from 1
  std::vector<std::uint32_t> symbols_;    // of all documents, a 0 after each
  std::vector<std::uint32_t> documents_;  // of each symbol
  std::uint32_t document_count_ = 0;
  std::unordered_map<std::uint32_t, std::string> plain_;  // of symbols that are escaped
};

// Counts the n-grams of token lines; the same lines in any order, on any number of threads give the same
// table. Memory: some 60 bytes and its text for each distinct n-gram and thread; where these have three
// tokens or more, as NgramCounts says.
class NgramVocabularyLearner {
 public:
  // `size`: the most terms, [UNK] counted. Throws UsageError where it has no room for one, or for n-grams of
  // no token.
  NgramVocabularyLearner(const NgramVocabulary::Settings& settings, std::int64_t size);
  ~NgramVocabularyLearner();

  // One document; may be called from several threads. Throws Error "COLUMN: what" where it is no token line.
  void add(std::string_view token_line);

  struct Summary {
    std::uint64_t documents = 0;
    std::uint64_t ngrams = 0;  // all that were counted
    std::uint64_t distinct = 0;
    std::uint64_t covered = 0;  // those that are terms
  };
  // Throws Error where nothing was counted.
  NgramVocabulary finish(Summary* summary = nullptr);

 private:
  struct Counter;
  std::unique_ptr<Counter> borrow();
  void give_back(std::unique_ptr<Counter> counter);

  static constexpr std::int64_t kLongNgrams = 3;  // of which a text has many that stand there once

  NgramVocabulary::Settings settings_;
  std::int64_t size_;
  NgramCounts long_;
  std::vector<std::unique_ptr<Counter>> counters_;  // each used by one caller at a time
  std::mutex mutex_;
};

}  // namespace headwater
