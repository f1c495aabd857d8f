// Examples as id lines: columns separated by one TAB, decimal ids separated by one space; or the same columns
// in a file that stays mapped and may be larger than memory (libcore/FORMATS.md, Id lines and Columns of
// ids).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "data/dataset.hpp"
#include "data/id_lists.hpp"
#include "data/labels.hpp"
#include "data/mapped_reads.hpp"

namespace headwater {

// What one column may hold.
struct TokenColumnSettings {
  std::string name{};           // "source", "target": for messages
  std::int64_t vocabulary = 0;  // V: ids are 0 to V - 1
  std::int64_t max_length = 0;  // a longer line is cut to its first ids and counted; 0: any
  std::int64_t min_length =
      1;  // a shorter one that is not empty is an error; a target needs its start and one id more
  bool may_be_empty = false;      // then an example may have no id here, else it is skipped and counted
  std::int32_t first_id = -1;     // every line begins with it (the start token of targets); -1: any
  bool has_values = false;        // words "id:value", as vectorize --output count, tf-idf, sublinear-tf-idf
  SpecialIds special{};           // its tokens are counted where it has an unknown one
  std::string vocabulary_hash{};  // compared with "vocab=" of a header line; empty: not compared
  // A column of one label of this set, and how it is written; after a header line by id.
  const LabelSet* labels = nullptr;
  LabelsAs labels_as = LabelsAs::unsaid;
};

// Examples of lines lie in memory: four bytes an id (eight with its value) and eight a column and example,
// nothing else. Of a file nothing does; the memory that reading it takes is given back now and then.
class TokenDataset : public Dataset {
 public:
  explicit TokenDataset(std::vector<TokenColumnSettings> columns);

  // Parses one line. `place` is "file:line" as LineReader gives it. Throws Error "place:column: what (fix)";
  // columns count code points from 1. An example with an empty column is skipped and counted. A header line
  // ("#ids v1 vocab=.. size=.. pad=..") is checked, not counted.
  void add_line(std::string_view line, std::string_view place) override;
  bool reads_lines() const override { return true; }
  bool reads_files() const override { return true; }
  // In place of lines, once. Throws Error "path: example N (from 0): what (fix)"; all of it is read once,
  // unless its hash is known.
  void add_file(const std::filesystem::path& path) override;
  // A file that is open; of bytes in memory, these stay the caller's.
  void add(const Safetensors& file);
  void know_hash(std::string_view hash) override { hash_ = hash; }

  // After the last line: throws Error where there is no example, or where more than 1 % of the lines had an
  // empty column (a stage of the pipe died) unless is_empty_allowed. `where` names the input in the message
  // ("-").
  void advise_on_empty_columns(std::string_view cure) override { cure_of_empty_ = cure; }
  void finish(std::string_view where, bool is_empty_allowed = false) override;

  std::int64_t examples() const override { return columns_.front().lists.size(); }
  std::size_t column_count() const { return columns_.size(); }
  std::size_t column(std::string_view name) const;  // index by name; throws Error where there is none
  std::span<const std::int32_t> ids(std::size_t column, std::int64_t example) const {
    const Column& c = columns_[column];
    return reads_ == nullptr ? c.lists[example] : mapped_ids(c, example);
  }
  // How many they are, without a look at them.
  std::size_t count(std::size_t column, std::int64_t example) const {
    const Column& c = columns_[column];
    return c.kept(c.lists[example]).size();
  }
  // One for each id; empty where the column has none.
  std::span<const float> values(std::size_t column, std::int64_t example) const {
    const Column& c = columns_[column];
    if (!c.settings.has_values) return {};
    const std::span<const float> all =
        c.mapped_values.empty() ? std::span<const float>(c.values) : c.mapped_values;
    return all.subspan(c.lists.begin_of(example), count(column, example));
  }
  std::int64_t total_ids(std::size_t column) const { return columns_[column].lists.total_ids(); }
  // Memory used for anything but the ids, of all columns.
  std::int64_t bytes_beyond_ids() const;

  std::int64_t lines() const { return lines_; }               // read, without header lines
  std::int64_t skipped() const override { return skipped_; }  // with an empty column
  std::int64_t truncated(std::size_t column) const { return columns_[column].truncated; }
  std::int64_t truncated() const override;  // of all columns
  std::vector<ColumnTokenCounts> token_counts() const override;

  // XXH3-128 of all ids, their values and where examples end, in the order of the lines: names the data of a
  // run. Lines and a file of the same columns have the same.
  std::string hash() const override;

 private:
  struct Column {
    TokenColumnSettings settings;
    IdLists lists;
    std::vector<float> values;  // as many as ids
    std::span<const float> mapped_values{};
    std::int64_t truncated = 0;
    TokenCounts counts;
    LabelsAs labels_as = LabelsAs::unsaid;        // of labels: as the lines so far say
    const std::string* doubtful_label = nullptr;  // LabelSet::name_of_other_id()
    void shorten(std::int64_t count);             // of the line that is being read
    // What max_length leaves of a list in a file.
    std::span<const std::int32_t> kept(std::span<const std::int32_t> list) const;
    // "" or what is wrong with a list in a file: what would have been an error of its line, or skipped.
    std::string fault_of(std::span<const std::int32_t> list) const;
    // "" or how the vocabulary that ids were made with is another than this one's: `value` is what a header
    // says, of the first 16 digits of its hash or all, or of its size.
    std::string fault_of_vocabulary(std::string_view value) const;
    std::string fault_of_size(std::string_view value) const;
  };

  static std::int32_t read_label(Column& column, std::string_view field);
  [[noreturn]] static void fail_on_label(const Column& column, std::string_view field, std::string_view line,
                                         std::string_view place);
  static void add_label(Column& column, std::string_view field, std::string_view line,
                        std::string_view place);
  void add_ids(Column& column, std::string_view field, std::string_view line, std::string_view place);
  static float read_value(const Column& column, std::string_view word, std::string_view line,
                          std::string_view place);
  void check_header(std::string_view line, std::string_view place);
  void check_header_field(const Column& column, std::string_view field, std::string_view line,
                          std::string_view place) const;
  std::string names() const;
  // Reads the columns of a file once: their faults, and their hash.
  void check_columns(const Safetensors& file);
  std::span<const std::int32_t> mapped_ids(const Column& column, std::int64_t example) const;

  std::vector<Column> columns_;
  std::unique_ptr<MappedReads> reads_;  // of a file
  std::string hash_;                    // of a file
  std::string cure_of_empty_ = "remove those lines";
  std::int64_t lines_ = 0, skipped_ = 0;
};

// A subset of id columns, and where in them the columns stand that a model reads.
struct ColumnSubset {
  // Throws Error where the data set has no column of such a name.
  ColumnSubset(Subset of, std::initializer_list<std::string_view> names);

  // An example of the data set in a column, which is given by its place in `names`.
  std::span<const std::int32_t> ids(std::size_t name, std::int64_t example) const {
    return columns->ids(column[name], example);
  }
  std::size_t count(std::size_t name, std::int64_t example) const {
    return columns->count(column[name], example);
  }

  Subset subset;
  const TokenDataset* columns = nullptr;  // null: no examples
  std::vector<std::size_t> column;        // in the order of `names`
};

}  // namespace headwater
