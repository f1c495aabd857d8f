// Text lines in and out, streaming: one example a line, UTF-8, LF (CR LF is accepted), at most 16 MiB a line.
// A byte-order mark at the start of a file is dropped. Columns that are read one by one are treated as files
// of their own, as cut -f makes them: pasted files bring their marks and CRs along. A text may also be a
// record of CSV, an object of JSON or a whole file; then what is said of lines here is said of these.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"

namespace headwater::cli {

struct LineReaderSettings {
  bool replace_invalid = false;  // invalid UTF-8 and NUL become U+FFFD instead of an error
  bool check_utf8 = true;
  std::string invalid_fix = "convert it to UTF-8";  // what the error for bad bytes advises
  // Reads this one alone of columns separated by one TAB, from 1; a line without it is an error. 0: the
  // whole line.
  std::int64_t column = 0;
  // The whole line, whose columns are texts of their own: each loses the byte-order mark at its start in a
  // file's first line and the CR at its end, as with `column`.
  bool has_columns = false;
  // Where the whole line is one text: a TAB is an error, since what stands after it is another column.
  bool refuses_tabs = false;
  std::string tab_fix = "choose a column with --column N, or turn TABs into spaces";
  // Records of CSV: each file has its header, and a record, which may be of several lines, is read as one
  // line: its chosen columns, separated by TABs. What is said of columns above is not of these.
  bool is_csv = false;
  CsvSettings csv = {};
  // JSON: each line is an object, and what is read is its member `text`, which may hold line ends and TABs.
  bool is_json = false;
  // Each file is one text, with the ends of its lines but the last one's.
  bool is_whole = false;
  // What to do about lines without TABs that look like CSV: note_dropped() says that they do. Of whole lines.
  std::string csv_fix = {};
};

// The settings of lines that are read beside those of the operands: whole lines, without a note on CSV.
LineReaderSettings beside(LineReaderSettings settings, std::string tab_fix);

// --column N, from 1: `settings` read that column of each line; and --csv, --separator and --no-header:
// of CSV, where --column is a name, too. `Columns::any`: of CSV there may be several, by --column again.
enum class Columns { one, any };
void add_column_options(CommandLine& line, LineReaderSettings& settings, Columns columns = Columns::one);
// --json-input; after add_column_options.
void add_json_input_option(CommandLine& line, LineReaderSettings& settings);
// --replace-invalid, which the error for bad bytes then advises too.
Option add_replace_invalid_option(CommandLine& line, LineReaderSettings& settings);
// The number of a column, from 1 on, or nothing where the text is none.
std::optional<std::int64_t> column_number(const std::string& text);

// "file:line:" and what was thrown about the line: as it is where it begins with a space or a column, after a
// space where it does not.
std::string at_place(const std::string& place, std::string_view what);

// Whether operands of lines read it: none, or one that is -.
bool reads_input(const std::vector<std::string>& paths);

// Reads the named files one after the other ("-" or none: standard input; on a terminal a one-line hint goes
// to stderr first).
class LineReader {
 public:
  explicit LineReader(std::vector<std::string> paths, LineReaderSettings settings = {});
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // The next line without its end, or false at the end. The view is valid until the next call.
  // Throws Error "file:line:column: invalid UTF-8 (...)"; columns count code points from 1.
  bool next(std::string_view& line);

  // Reads up to `most` lines into `lines` (cleared first), but returns early with at least one when no more
  // input is ready (a dialogue: a pipe or terminal whose writer waits for the answer). Empty only at the end
  // of input. A batch ends at 8 MiB too, so that its memory is bounded; it never spans two files, and an
  // error waits until the good lines before it have been handed out.
  void next_batch(std::vector<std::string>& lines, std::size_t most);
  // f(lines) for each batch until the input ends; f may change the lines. A LineError from it becomes an
  // Error with the line's place.
  template <class F>
  void for_each_batch(std::size_t most, const F& f) {
    std::vector<std::string> lines;
    for (next_batch(lines, most); !lines.empty(); next_batch(lines, most)) {
      try {
        f(lines);
      } catch (const LineError& error) {
        throw Error(at_place(place(error.line), error.what()));
      }
    }
  }

  // On a terminal, from the third second on: lines, lines a second, and where all inputs are regular files
  // the share of their bytes and the time left. Nothing where is_quiet, where the lines themselves come from
  // a terminal, and, of a program that writes all the while, where that goes to a terminal or down a pipe,
  // whose last program speaks.
  enum class Writes { meanwhile, at_the_end };
  void show_progress(bool is_quiet, Writes writes = Writes::meanwhile);

  // "file:line" of the line returned last; standard input is "-", which messages call by its name.
  std::string place() const;
  // The place of the i-th line of the last batch.
  std::string place(std::size_t i) const;
  // The place of column `column`, from 0, of that line, `before` characters after its begin:
  // "file:line:column". Of CSV, whose records are lines only here, "file:line: column NAME" with the line on
  // which the field begins.
  std::string place_of_column(std::size_t i, std::size_t column, std::size_t before) const;
  // Lines that lost a CR, at their end or at that of a column.
  std::uint64_t crlf_lines() const;
  // After the last line: says on stderr what was found. How many records CSV files had. Which file looks like
  // CSV and is not read as such, or has CRs alone at its line ends. How many lines lost a CR.
  // Which file, or column, began with a byte-order mark.
  void note_dropped() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Ends the program, as a write would, where standard output is a pipe that nobody reads any more: for work
// whose result comes late. Throws Error where SIGPIPE is ignored. From any thread.
void end_if_output_is_closed();

// Buffered standard output; throws Error when a write fails (a full disk). flush() before waiting for more
// input.
class LineWriter {
 public:
  LineWriter();
  ~LineWriter();  // writes what is left; tool_main reports it if that fails
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  void line(std::string_view text);
  void text(std::string_view text);  // no line end added
  void flush();

 private:
  std::string buffer_;
};

}  // namespace headwater::cli
