// Records of a CSV file as RFC 4180 has them, line by line: fields in quotes, doubled quotes, line ends
// inside quotes.
#pragma once

#include <cstdint>
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

}  // namespace headwater
