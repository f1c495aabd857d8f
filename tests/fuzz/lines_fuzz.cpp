// Any bytes as lines of text, alone and in batches: the same lines, or the same error after the same lines;
// and they are what a plain cut at LF, CR and TAB gives. The columns of whole lines are those of the lines
// that are read column by column. As records of CSV, objects of JSON and whole files they are texts or
// errors, too. The first byte chooses the settings.
#include "cli/lines.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "support/error.hpp"
#include "support/utf8.hpp"

namespace {

using namespace headwater;

struct Read {
  std::vector<std::string> lines;
  std::string error;
  bool operator==(const Read&) const = default;
};

Read read_lines(const std::string& path, const cli::LineReaderSettings& settings, std::size_t batch) {
  Read out;
  cli::LineReader reader({path}, settings);
  try {
    if (batch == 0) {
      for (std::string_view line; reader.next(line);) out.lines.emplace_back(line);
    } else {
      reader.for_each_batch(batch, [&](const std::vector<std::string>& lines) {
        out.lines.insert(out.lines.end(), lines.begin(), lines.end());
      });
    }
  } catch (const Error& error) {
    out.error = error.what();
  }
  return out;
}

// As long as nothing is wrong; `is_fine` says whether that was the whole text.
std::vector<std::string> plain_lines(std::string_view text, const cli::LineReaderSettings& settings,
                                     bool& is_fine) {
  std::vector<std::string> lines;
  is_fine = true;
  bool is_first = true;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    is_fine = find_invalid_utf8(line) == line.npos && line.find('\0') == line.npos &&
              (!settings.refuses_tabs || settings.column > 0 || line.find('\t') == line.npos);
    for (std::int64_t column = 1; column < settings.column && is_fine; ++column) {
      is_fine = line.find('\t') != line.npos;
      line.remove_prefix(is_fine ? line.find('\t') + 1 : 0);
    }
    if (!is_fine) break;
    if (settings.column > 0) {
      const bool is_last = line.find('\t') == line.npos;
      line = line.substr(0, line.find('\t'));
      if (is_first && settings.column > 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
      if (!is_last && line.ends_with('\r')) line.remove_suffix(1);
    }
    is_first = false;
    lines.emplace_back(line);
  }
  return lines;
}

// As cut -f gives column `number` of lines that have it.
std::vector<std::string> column_of(const std::vector<std::string>& lines, std::int64_t number) {
  std::vector<std::string> columns;
  for (std::string_view line : lines) {
    for (std::int64_t column = 1; column < number; ++column) line.remove_prefix(line.find('\t') + 1);
    columns.emplace_back(line.substr(0, line.find('\t')));
  }
  return columns;
}

bool is_compressed(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text.starts_with("\x1F\x8B") || text.starts_with("\x28\xB5\x2F\xFD") ||
         text.starts_with("PK\x03\x04") ||
         text.starts_with(std::string_view("\xFD"
                                           "7zXZ\0",
                                           6)) ||
         (text.starts_with("BZh") && text.size() >= 10 && text[3] >= '1' && text[3] <= '9' &&
          text.substr(4).starts_with("1AY&SY"));
}

// No line of text has these, and one of CSV no other line end or TAB inside its one column.
void check_texts(const Read& read, const cli::LineReaderSettings& settings) {
  for (const std::string& text : read.lines) {
    if (find_invalid_utf8(text) != text.npos || text.find('\0') != text.npos) std::abort();
    if (settings.is_csv && text.find_first_of("\n\r\t") != text.npos) std::abort();
  }
  if (settings.is_whole && read.error.empty() && read.lines.size() != 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  cli::LineReaderSettings settings{
      .replace_invalid = (data[0] & 1) != 0, .column = data[0] >> 4 & 3, .refuses_tabs = (data[0] & 2) != 0};
  const int kind = data[0] >> 6;
  settings.is_csv = kind == 1;
  settings.csv = {.columns = {"1"}, .has_header = (data[0] & 4) != 0};
  settings.is_json = kind == 2;
  settings.is_whole = kind == 3;
  if (kind == 0 && (data[0] & 4) != 0) settings.csv_fix = "read it as CSV";
  const int file = ::memfd_create("lines", MFD_CLOEXEC);
  if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return 0;
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const Read alone = read_lines(path, settings, 0);
  if (read_lines(path, settings, 3) != alone) std::abort();
  if (kind != 0) {
    ::close(file);
    check_texts(alone, settings);
    return 0;
  }
  if (settings.column > 0) {
    cli::LineReaderSettings whole = settings;
    whole.column = 0;
    whole.has_columns = true;
    const Read lines = read_lines(path, whole, 0);
    if (alone.error.empty() &&
        (!lines.error.empty() || column_of(lines.lines, settings.column) != alone.lines))
      std::abort();
  }
  ::close(file);
  if (settings.replace_invalid) {
    for (const std::string& line : alone.lines) {
      if (find_invalid_utf8(line) != line.npos || line.find('\0') != line.npos) std::abort();
    }
    return 0;
  }
  bool is_fine = false;
  if (is_compressed(text)) {
    if (alone.error.empty()) std::abort();
    return 0;
  }
  if (plain_lines(text, settings, is_fine) != alone.lines || is_fine != alone.error.empty()) std::abort();
  return 0;
}
