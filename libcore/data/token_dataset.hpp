// Examples as id lines: columns separated by one TAB, decimal ids separated by one space
// (libcore/FORMATS.md, id lines).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.hpp"
#include "data/id_lists.hpp"
#include "data/labels.hpp"
#include "data/subset.hpp"

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

// Examples in memory: four bytes an id (eight with its value) and eight a column and example, nothing else.
class TokenDataset : public Dataset {
 public:
  explicit TokenDataset(std::vector<TokenColumnSettings> columns);

  // Parses one line. `place` is "file:line" as LineReader gives it. Throws Error "place:column: what (fix)";
  // columns count code points from 1. An example with an empty column is skipped and counted. A header line
  // ("#ids v1 vocab=.. size=.. pad=..") is checked, not counted.
  void add_line(std::string_view line, std::string_view place) override;
  bool reads_lines() const override { return true; }

  // After the last line: throws Error where there is no example, or where more than 1 % of the lines had an
  // empty column (a stage of the pipe died) unless is_empty_allowed. `where` names the input in the message
  // ("-").
  void advise_on_empty_columns(std::string_view cure) override { cure_of_empty_ = cure; }
  void finish(std::string_view where, bool is_empty_allowed = false) override;

  std::int64_t examples() const override { return columns_.front().lists.size(); }
  std::size_t column_count() const { return columns_.size(); }
  std::size_t column(std::string_view name) const;  // index by name; throws Error where there is none
  std::span<const std::int32_t> ids(std::size_t column, std::int64_t example) const {
    return columns_[column].lists[example];
  }
  // One for each id; empty where the column has none.
  std::span<const float> values(std::size_t column, std::int64_t example) const {
    const Column& c = columns_[column];
    if (!c.settings.has_values) return {};
    return std::span(c.values).subspan(static_cast<std::size_t>(c.lists.begin_of(example)),
                                       c.lists[example].size());
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
  // run.
  std::string hash() const override;

 private:
  struct Column {
    TokenColumnSettings settings;
    IdLists lists;
    std::vector<float> values;  // as many as ids
    std::int64_t truncated = 0;
    TokenCounts counts;
    LabelsAs labels_as = LabelsAs::unsaid;        // of labels: as the lines so far say
    const std::string* doubtful_label = nullptr;  // LabelSet::name_of_other_id()
    void shorten(std::int64_t count);             // of the line that is being read
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

  std::vector<Column> columns_;
  std::string cure_of_empty_ = "remove those lines";
  std::int64_t lines_ = 0, skipped_ = 0;
};

// A subset of id columns, and where in them the columns stand that a model reads.
struct ColumnSubset {
  // Throws Error where the data set has no column of such a name.
  ColumnSubset(Subset of, std::initializer_list<std::string_view> names);

  Subset subset;
  const TokenDataset* columns = nullptr;  // null: no examples
  std::vector<std::size_t> column;        // in the order of `names`
};

}  // namespace headwater
