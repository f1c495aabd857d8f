// The most frequent n-grams of many tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/ngram_vocabulary.hpp"
#include "data/ngrams.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

// The order of n-grams by what they stand for, not how they are written: whether a's bytes are greater.
bool has_greater_bytes(std::string_view a, std::string_view b);

// Keeps the tokens of all documents, 12 bytes each and each distinct one, and no n-gram.
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

}  // namespace headwater
