// Columns of a CSV file, record by record, as lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/csv.hpp"

namespace headwater {

struct CsvSettings {
  std::vector<std::string> columns = {};  // names of the header, or numbers from 1; none: all, as they stand
  char separator = ',';
  bool has_header = true;  // the first record has names, and is no line
  std::size_t wanted = 0;  // where no column is named there must be so many; 0: any number
};

// One file: its header, then its records.
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
