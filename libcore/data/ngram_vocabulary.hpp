// Bags of words: the terms (n-grams) that count, in how many lines each stands, and what a line becomes
// (libcore/FORMATS.md, n-gram tables). Learning a table is in ngram_vocabulary_learner.hpp.
//
// The file is text: "#terms v1 ngrams=N documents=D output=FORM", then a line "term TAB documents" for each
// id from 0; a term is written as in token lines. Term 0 is [UNK], which stands for all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/token_counts.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

// The tokens of one line. n-grams are neighbours joined by one space, as the framework's text layer makes
// them. They are pieces of the line and stay written as in token lines (token_lines.hpp), so
// that no token can hold the space that joins two.
class TokenRow {
 public:
  // Throws Error "COLUMN: what" where the line is no token line.
  void read(std::string_view token_line);
  void clear();
  void add(std::string_view token);  // not escaped

  std::size_t size() const { return begins_.size(); }
  // Tokens first .. first + length - 1, joined; valid until the next change.
  std::string_view ngram(std::size_t first, std::size_t length) const {
    const std::size_t end = first + length < begins_.size() ? begins_[first + length] - 1 : text_.size();
    return std::string_view(text_).substr(begins_[first], end - begins_[first]);
  }

 private:
  std::string text_, scratch_;
  std::vector<std::size_t> begins_;
};

// Calls use(ngram) for all single tokens, then all pairs, ... up to `most` tokens, each group from the left.
template <class Use>
void for_each_ngram(const TokenRow& row, std::size_t most, const Use& use) {
  for (std::size_t length = 1; length <= most && length <= row.size(); ++length) {
    for (std::size_t first = 0; first + length <= row.size(); ++first) use(row.ngram(first, length));
  }
}

// An n-gram as the framework has it: nothing escaped. For comparing and ordering.
std::string plain_ngram(std::string_view ngram);

// What stands for a line.
enum class TermOutput {
  multi_hot,  // which terms it has
  count,      // how often it has each
  tf_idf,     // that, times inverse document frequency
  // (1 + ln of how often) times inverse document frequency, without [UNK]; the line is scaled to Euclidean
  // length 1. 0:0 where nothing is left.
  sublinear_tf_idf,
  ids  // the ids of its n-grams one by one, as the framework's integer mode: 1 is [UNK], term t is t + 1
};
std::string_view name_of(TermOutput output);  // "multi-hot", "count", "tf-idf", "sublinear-tf-idf", "ids"
// Throws UsageError with all of them.
TermOutput parse_term_output(std::string_view name);

// One entry of a sparse row.
struct TermValue {
  std::int32_t term = 0;
  float value = 0;
  bool operator==(const TermValue&) const = default;
};

inline constexpr std::string_view kUnknownTerm = "[UNK]";
inline constexpr std::int32_t kUnknownTermId = 0;

class NgramVocabulary {
 public:
  struct Settings {
    std::int64_t ngrams = 1;  // the most tokens of a term
    TermOutput output = TermOutput::multi_hot;
    bool operator==(const Settings&) const = default;
  };
  struct Term {
    std::string ngram;
    std::uint64_t documents = 0;  // lines that hold it
  };
  // `terms` from id 1 on. Throws Error where there is none, or one is given twice.
  NgramVocabulary(const Settings& settings, std::uint64_t documents, std::vector<Term> terms);

  // Throws Error "path:line: what".
  static NgramVocabulary load(const std::filesystem::path& path);
  static NgramVocabulary parse(std::string_view text, std::string_view where);

  const Settings& settings() const { return settings_; }
  std::int32_t size() const { return static_cast<std::int32_t>(terms_.size()); }  // with [UNK]
  std::uint64_t documents() const { return documents_; }
  const Term& term(std::int32_t id) const { return terms_.at(id); }
  // The id of a term written as in token lines; 0 where it is none of them.
  std::int32_t find(std::string_view ngram) const {
    const WordTable::Entry* entry = ids_.find(ngram);
    return entry == nullptr ? 0 : static_cast<std::int32_t>(entry->value);
  }
  // The tokens of the row, each alone: those that are no term are unknown.
  TokenCounts counts(const TokenRow& row) const;

  // What the row's n-grams give, by ascending term; `output` is not ids. Replaces what `values` held. May be
  // called from several threads.
  void values(const TokenRow& row, TermOutput output, std::vector<TermValue>& values) const;

  std::string to_text() const;
  std::string hash() const;

 private:
  std::string text_as(std::string_view output) const;
  Settings settings_;
  std::uint64_t documents_ = 0;
  std::vector<Term> terms_;
  // ln(1 + documents / (1 + documents with the term)); of [UNK] the mean of all others.
  std::vector<float> weights_;
  WordTable ids_;
};

// "3 17 20" for multi-hot, "3:1 17:2 20:1" and "3:1.704748 ..." for the others: values are the shortest
// decimals that read back equal.
void append_term_values(std::string& out, const std::vector<TermValue>& values, TermOutput output);

}  // namespace headwater
