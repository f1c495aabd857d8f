// What a data set of lines is made of: its size, classes and lengths. One pass; a line takes the memory of
// its hash. And what a file of ids holds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "support/csv.hpp"
#include "support/json.hpp"
#include "support/token_counts.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// How long the texts of a column are, in words: maximal runs without white space.
class LengthCounts {
 public:
  void add(std::int64_t words);
  std::int64_t samples() const { return samples_; }
  std::int64_t words() const { return words_; }
  double mean() const;
  // The middle one, or the mean of the middle two. Of no samples 0.
  double median() const;
  // The least length that at least `share` of the samples do not exceed.
  std::int64_t quantile(double share) const;
  std::int64_t above(std::int64_t length) const;  // samples that are longer
  std::int64_t longest() const { return counts_.empty() ? 0 : counts_.rbegin()->first; }
  std::int64_t empty() const;

  struct Bin {
    std::int64_t min = 0, max = 0;  // inclusive
    std::int64_t samples = 0;
  };
  // At most `bins` bins of a round width that hold 99 % of the samples, and one for all above.
  std::vector<Bin> histogram(std::size_t bins) const;

 private:
  std::map<std::int64_t, std::int64_t> counts_;
  std::int64_t samples_ = 0, words_ = 0;
};

class DataSummary {
 public:
  // `names` of the columns ("source", "target", "label"); none: as many as the first line has, and a column
  // is a label where its values are few and short and repeat often; one at least is text. Throws UsageError
  // where all are labels.
  explicit DataSummary(std::vector<std::string> names = {});
  // Columns separated by one TAB. Throws Error " what (fix)" or ":..." to be put after "file:line" for a
  // line with another number of columns, or an empty label.
  void add(std::string_view line);

  // Texts are counted in the tokens of this one too. It must outlive the summary.
  void count_tokens_of(const Tokenizer& tokenizer) { tokenizer_ = &tokenizer; }
  // Texts of the column of this name in those of another one; the model reads so many of a text, 0: any
  // number.
  void count_tokens_of(const Tokenizer& tokenizer, std::string_view column, std::int64_t model_tokens);
  // The tokens of a line that was added.
  void add_tokens(std::string_view line);

  // After the last line. Throws Error where there was none.
  std::string text() const;
  std::vector<Json> json() const;  // an object a line

  // What makes one doubt that the lines are what they should be, a sentence each: CSV, a header, labels with
  // white space around them, labels that are nearly the same, many words with punctuation inside.
  std::vector<std::string> warnings() const;

  // Samples divided by mean words a sample of the first text column; above kSequenceRatio a sequence model
  // pays, below it a linear model is where to begin (the rule of the classic guide to text classification).
  // It is of classifiers: text() and json() give the advice where a column is a label.
  static constexpr double kSequenceRatio = 1500;
  double ratio() const;

 private:
  struct Column {
    std::string name;
    LengthCounts lengths, tokens{};
    const Tokenizer* tokenizer = nullptr;  // null: that of the summary
    std::int64_t model_tokens = 0;         // of a text that the model reads; 0: any number
    TokenCounts token_counts{};
    std::map<std::string, std::int64_t, std::less<>> values{};  // until there are too many for labels
    bool has_too_many = false;
    std::int64_t compound_words = 0;  // with punctuation inside
    std::string compound_word = {};   // the first
    std::int64_t repeated = 0;        // texts that stand in an earlier line, too
    std::unordered_set<std::uint64_t> hashes{};
  };
  bool has_header() const;
  void add_word(Column& column, std::string_view word) const;
  void count_label(std::size_t column, std::string_view field);
  bool repeats(std::size_t column) const;
  std::size_t text_column() const;
  bool is_label(std::size_t column) const;
  // How many texts the model cuts, and what holds 99 % of them; nothing where it reads any number.
  std::string room(const Column& column) const;
  bool has_verdict() const;
  std::string verdict() const;
  void check_any() const;

  std::vector<Column> columns_;
  const Tokenizer* tokenizer_ = nullptr;
  bool is_named_;
  std::vector<std::string> first_;  // the fields of the first line
  CsvGuess guess_;
  std::int64_t lines_ = 0;
};

// What a file of ids holds, as vectorize --output dataset writes it.
class StreamSummary {
 public:
  // Reads all ids once. With the tokenizer that made them, else null: also how many are unknown. Throws Error
  // where the file is no such file, or another tokenizer's.
  StreamSummary(const Safetensors& file, const Tokenizer* tokenizer);

  std::string text() const;
  Json json() const;

 private:
  std::int64_t vocabulary_ = 0, tokens_ = 0, different_ = 0;
  std::int64_t unknown_ = -1;  // -1: not known
  std::string hash_;           // of the vocabulary
};

}  // namespace headwater
