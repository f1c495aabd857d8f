// Records of a CSV file as RFC 4180 has them, line by line: fields in quotes, doubled quotes, line ends
// inside quotes; its columns as lines; and whether lines look like it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// What a line of which `columns` columns separated by TABs are wanted has between its fields if it is rather
// one of CSV, a comma or a semicolon: it has no TAB, and as many fields at least, two or more. Of a value of
// one column: 2. Otherwise 0.
char csv_separator(std::string_view line, std::size_t columns);
// What to do about such a line, for a message; empty where it is none.
std::string csv_cure(std::string_view line, std::size_t columns);

class CsvParser {
 public:
  // `file` names the file in errors; `separator` is an ASCII character, no quote and no line end.
  explicit CsvParser(std::string file, char separator = ',');

  // Takes the next line of the file, without its end (LF or CR LF; a CR elsewhere stands in quotes). Returns
  // whether a record ends with it; fields() and line() are its own until the next call. Throws Error
  // "file:line:column: what (fix)", columns counting code points from 1, for what is no CSV, and for a record
  // of more than 16 MiB or 4,096 fields.
  bool add_line(std::string_view line);
  // After the last line. Throws Error where a quote is open still.
  void finish() const;

  // The fields without their quotes. Each run of TABs and line ends within one is a space, and nothing at its
  // beginning or end, so that a record can be a line of columns.
  std::size_t fields() const { return ends_.size(); }
  std::string_view field(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }
  // The number of the line, from 1, with which the record begins; and whether it has more than one.
  std::uint64_t line() const { return first_line_; }
  bool has_several_lines() const { return line_ > first_line_; }
  std::uint64_t line_of_field(std::size_t i) const { return lines_[i]; }  // with which it begins
  bool has_quotes() const { return has_quotes_; }                         // around one of its fields
  char separator() const { return separator_; }

 private:
  enum class State { before_field, plain, quoted, after_quote };

  void append(std::string_view piece);
  void end_field();
  [[noreturn]] void fail(std::string_view line, std::size_t at, const std::string& what) const;
  [[noreturn]] void fail_open(const std::string& what) const;
  [[noreturn]] void fail_return(std::string_view line, std::size_t at) const;

  std::string file_;
  char separator_;
  State state_ = State::before_field;
  bool has_quotes_ = false;
  bool has_break_ = false;  // TABs or line ends wait for a character after them
  std::string text_;        // the fields, one after the other
  std::vector<std::size_t> ends_;
  std::vector<std::uint64_t> lines_;  // of each field
  std::uint64_t line_ = 0, first_line_ = 0;
  std::uint64_t open_line_ = 0, open_column_ = 0;  // of the last quote that opened a field
};

// The text as a field that separators are commas of: in quotes where it holds one, a quote or a line end.
std::string csv_field(std::string_view text);

// A field as people name columns: "text", "Label", "review_text".
bool is_name_of_column(std::string_view field);

// Whether lines without TABs look like CSV.
class CsvGuess {
 public:
  CsvGuess();

  // Takes the next line of the file; only the first thousand are read.
  void add(std::string_view line);

  // Whether the lines so far look like CSV: of commas or of semicolons, the same number of fields in each
  // record, two at least; and they are many, or quoted, or the first has names of columns.
  bool is_csv() const { return found() != nullptr; }
  // "looks like CSV of 2 fields ("text", "label"), which is no column of text"; of lines that do.
  std::string text() const;
  // What names their separator: "", or "--separator ';'" where it is not the comma.
  std::string separator_option() const { return option_of(*found()); }
  // The same of lines that may be records of `columns` fields at least, or of more lines; or nothing.
  std::optional<std::string> separator_option(std::size_t columns) const;

 private:
  struct Reading {
    CsvParser parser;
    std::vector<std::string> first = {};  // the fields of the first record
    std::int64_t records = 0;
    bool is_possible = true, has_quotes = false;
  };
  static void add(Reading& reading, std::string_view line);
  const Reading* found() const;
  static std::string option_of(const Reading& reading);

  std::array<Reading, 2> readings_;  // of commas, of semicolons
  std::int64_t lines_ = 0;
};

struct CsvSettings {
  std::vector<std::string> columns = {};  // names of the header, or numbers from 1; none: all, as they stand
  char separator = ',';
  bool has_header = true;  // the first record has names, and is no line
  std::size_t wanted = 0;  // where no column is named there must be so many; 0: any number
};

// The columns of one file, its header, then record by record, as lines.
class CsvColumns {
 public:
  CsvColumns(CsvSettings settings, const std::string& file);

  // Takes the next line of the file. Returns whether `text` is that of a record which ends with it: its
  // columns, separated by TABs, valid until the next call. Throws Error with the place for what is no CSV, a
  // column that is not there, and a record with more or fewer fields than the first.
  bool add_line(std::string_view line, std::string_view& text);
  // After the last line. Throws Error where a quote is open, and for a file without a record.
  void finish() const;

  std::uint64_t line() const { return parser_.line(); }  // with which the record begins, from 1
  // The chosen columns of that record: the line with which each begins; what one is called, a name or a
  // number.
  std::vector<std::uint64_t> lines() const;
  std::string name(std::size_t chosen) const;
  // All names of the header, a TAB after each, where all columns are taken as they stand; else empty.
  const std::string& header() const { return header_; }
  // "3 records of 2 fields, 1 of them of several lines, which are one now".
  std::string summary() const;

 private:
  std::string place() const;
  void choose();
  std::size_t find(const std::string& column) const;
  std::string known_names() const;
  [[noreturn]] void fail_width() const;

  CsvSettings settings_;
  std::string file_;
  CsvParser parser_;
  std::size_t width_ = 0;  // fields of a record; 0: none was read
  std::vector<std::size_t> chosen_;
  std::string text_, header_;
  std::uint64_t records_ = 0, several_ = 0;
};

}  // namespace headwater
