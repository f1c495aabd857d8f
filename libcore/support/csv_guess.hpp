// Whether lines without TABs look like CSV.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/csv.hpp"

namespace headwater {

// A field as people name columns: "text", "Label", "review_text".
bool is_name_of_column(std::string_view field);

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

}  // namespace headwater
