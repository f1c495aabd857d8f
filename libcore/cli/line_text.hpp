// What LineReader asks of a line and of the files that it reads: texts of JSON lines, bytes that a line of
// text must not have, and what was found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

// The member `text` of the object that `line` is; its other members are passed over. `place` is "file:line".
// Throws Error "file:line:column: what" for what is no such object. Memory: the text, and what the longest
// other string takes.
std::string text_of_json(std::string_view line, const std::string& place);

// Offset of the first byte that is NUL or no part of a well-formed UTF-8 sequence, or npos.
std::size_t find_bad_byte(std::string_view text);

// "a NUL byte", or "invalid UTF-8 at byte 0xff".
std::string name_of_bad_byte(char bad);
// What to do about a file whose first bytes say that it is UTF-16; empty: they do not.
std::string_view cure_of_file(std::string_view first_line);

// `text` with U+FFFD for each such byte.
std::string with_bad_bytes_replaced(std::string_view text);

// What was found in the files of a LineReader, and is said when all of them are read.
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
