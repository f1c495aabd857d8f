// What was found in the files of a LineReader, and is said when all of them are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headwater::cli {

struct LineNotes {
  std::vector<std::string> csv;   // of files that are read as CSV, a sentence each
  std::string csv_like, csv_fix;  // the first file that looks like CSV and how; what to do
  std::string only_cr;            // the first file that has CRs and no LF
  std::string first_marked;       // the first file that began with a byte-order mark, or its column that did
  std::uint64_t marked_files = 0, crlf_lines = 0;
  bool has_crlf_columns = false;  // some of crlf_lines lost the CR of a column

  // On standard error, a line each; nothing where nothing was found.
  void say() const;
};

}  // namespace headwater::cli
