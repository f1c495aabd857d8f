// Text lines in and out, streaming: one example a line, UTF-8, LF (CR LF is accepted), at most 16 MiB a line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

struct LineReaderSettings {
  bool replace_invalid = false;  // invalid UTF-8 and NUL become U+FFFD instead of an error
  bool check_utf8 = true;
  std::string invalid_fix =
      "convert it to UTF-8, or try --replace-invalid";  // what the error for bad bytes advises
};

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
  // f(lines) for each batch until the input ends; f may change the lines.
  template <class F>
  void for_each_batch(std::size_t most, const F& f) {
    std::vector<std::string> lines;
    for (next_batch(lines, most); !lines.empty(); next_batch(lines, most)) f(lines);
  }

  // "file:line" of the line returned last; standard input is "-".
  std::string place() const;
  // The place of the i-th line of the last batch.
  std::string place(std::size_t i) const;
  std::uint64_t crlf_lines() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

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
