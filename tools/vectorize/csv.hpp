// Columns of CSV files to lines of columns.
#pragma once

#include <string>
#include <vector>

#include "cli/lines.hpp"

namespace headwater::vectorize {

struct CsvOptions {
  std::vector<std::string> files;    // "-" or none: standard input
  std::vector<std::string> columns;  // names of the header, or numbers from 1; none: all, as they stand
  std::string separator = ",";       // one ASCII character, or "tab"
  bool has_header = true;            // each file begins with a record of names, which is not written
  cli::LineReaderSettings reader;
  bool is_quiet = false;
};

// Writes a line for each record, its columns separated by TABs. Throws UsageError for a wrong separator or
// number, Error with the place for what is no CSV, a column that is not there, and a record with more or
// fewer fields than the first.
void write_csv_columns(const CsvOptions& o);

}  // namespace headwater::vectorize
