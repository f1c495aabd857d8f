// Learning the terms of bags of words (libcore/FORMATS.md, n-gram tables): the most frequent n-grams first,
// ties by UTF-8 bytes descending.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "data/ngram_counts.hpp"
#include "data/ngram_vocabulary.hpp"

namespace headwater {

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
