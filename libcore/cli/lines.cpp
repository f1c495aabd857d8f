#include "cli/lines.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "cli/input_file.hpp"
#include "cli/line_text.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/tool.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"

namespace headwater::cli {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;     // asked for by one read
constexpr std::size_t kMaxLine = std::size_t{1} << 24;   // bytes of one line
constexpr std::size_t kMaxBatch = std::size_t{1} << 23;  // bytes of a batch before its last line
constexpr std::size_t kNone = std::string_view::npos;

}  // namespace

struct LineReader::Impl {
  enum class Wait { yes, no };
  enum class Found { line, nothing_ready, end_of_file, end_of_input };

  std::vector<std::string> paths;
  LineReaderSettings settings;
  std::size_t next_path = 0;
  InputFile input;
  std::vector<char> buffer;
  std::size_t begin = 0, scanned = 0, end = 0;  // unread bytes are [begin, end); no LF in [begin, scanned)
  bool is_at_end = false;                       // of this file
  bool is_at_start = false;                     // of this file: it may begin with a byte-order mark
  bool is_marked = false;                       // this file had one
  std::string scratch;
  std::string last_name = "-";
  std::uint64_t line_number = 0;
  std::uint64_t text_line = 0;                           // the line with which the last text begins
  std::vector<std::uint64_t> batch_lines;                // the same of the last batch
  std::optional<CsvColumns> csv;                         // of this file
  std::vector<std::vector<std::uint64_t>> batch_fields;  // of the last batch: the lines of its fields
  std::vector<std::uint64_t> fields;                     // of the last text
  std::string csv_header, first_csv;                     // of the first file, and its name
  std::vector<std::string> csv_names;                    // of its columns
  std::string whole;                                     // what was read of this file, where it is one text
  std::optional<CsvGuess> guess;                         // of this file
  LineNotes notes;
  std::exception_ptr waiting_error;
  std::unique_ptr<Progress> progress;
  std::uint64_t lines_read = 0, bytes_read = 0;  // of all files

  // Called between lines: those read before are done.
  void show() const {
    if (!progress) return;
    const auto lines = static_cast<double>(lines_read);
    // of a file whose size is unknown nothing is a share
    progress->update(static_cast<double>(bytes_read), lines,
                     [&] { return counted(static_cast<std::int64_t>(lines_read), "line"); });
  }

  void check_readable() const {
    for (const std::string& path : paths) {
      if (path != "-") InputFile::check_readable(path);
    }
  }

  void fill() {
    if (begin == end) begin = scanned = end = 0;
    if (buffer.size() - end < kChunk / 2) {
      if (begin > 0) {
        std::memmove(buffer.data(), buffer.data() + begin, end - begin);
        scanned -= begin;
        end -= begin;
        begin = 0;
      }
      if (buffer.size() - end < kChunk / 2) buffer.resize(std::max(kChunk, buffer.size() * 2));
    }
    const std::size_t got = input.read(buffer.data() + end, buffer.size() - end);
    end += got;
    is_at_end = got == 0;
  }

  // Advances to the next text. Wait::no: comes back where none is complete and no input is ready, and at the
  // end of a file.
  Found find(std::string_view& text, Wait wait) {
    while (true) {
      const Found found = find_line(text, wait);
      if (found == Found::line) {
        if (take(text)) return found;
      } else if (found == Found::end_of_file) {
        if (end_file(text)) return Found::line;
        if (wait == Wait::no) return found;
      } else {
        return found;
      }
    }
  }

  // Finds the next line; each file ends with Found::end_of_file.
  Found find_line(std::string_view& line, Wait wait) {
    while (true) {
      if (!input.is_open()) {
        if (next_path == paths.size()) return Found::end_of_input;
        if (wait == Wait::no) return Found::nothing_ready;  // opening a named pipe may block
        input.open(paths[next_path++]);
        last_name = input.name();
        line_number = 0;
        is_at_end = false;
        is_at_start = true;
        is_marked = false;
      }
      if (is_at_start && end - begin >= kByteOrderMark.size()) drop_mark();
      if (scanned < end) {
        const char* from = buffer.data() + scanned;
        if (const void* lf = std::memchr(from, '\n', end - scanned)) {
          const std::size_t stop = static_cast<const char*>(lf) - buffer.data();
          line = finish({buffer.data() + begin, stop - begin}, stop + 1);
          return Found::line;
        }
        scanned = end;
      }
      if (end - begin > kMaxLine) too_long({buffer.data() + begin, end - begin});
      if (is_at_end) {
        if (begin < end) {
          std::string_view rest(buffer.data() + begin, end - begin);
          if (has_only_cr(rest)) {
            if (notes.only_cr.empty()) notes.only_cr = last_name;
            if (rest.ends_with('\r')) rest.remove_suffix(1);  // of no CR LF
          }
          line = finish(rest, end);
          return Found::line;
        }
        input.close();
        return Found::end_of_file;
      }
      if (wait == Wait::no && !input.is_ready()) return Found::nothing_ready;
      fill();
    }
  }

  // Makes a text of the line. Returns false where it goes on, or is none.
  bool take(std::string_view& line) {
    text_line = line_number;
    if (settings.is_csv) {
      if (!csv) csv.emplace(settings.csv, last_name);
      if (!csv->add_line(line, line)) {
        check_header();
        return false;
      }
      text_line = csv->line();
      fields = csv->lines();
      while (csv_names.size() < fields.size()) csv_names.push_back(csv->name(csv_names.size()));
      return true;
    }
    if (settings.is_whole) {
      if (line_number > 1) whole += '\n';
      whole += line;
      if (whole.size() > kMaxLine) throw Error(last_name + ": longer than 16 MiB, which one text may have");
      return false;
    }
    if (settings.is_json) {
      scratch = text_of_json(line, place());
      line = without_nul(scratch);
    } else if (!settings.csv_fix.empty() && settings.column == 0) {
      if (!guess) guess.emplace();
      guess->add(line);
    }
    return true;
  }

  // Columns that are taken as they stand must be the same in every file.
  void check_header() {
    if (csv->header().empty()) return;
    if (csv_header.empty()) {
      csv_header = csv->header();
      first_csv = last_name;
    }
    if (csv->header() != csv_header)
      throw Error(last_name + ": another header than that of " + first_csv +
                  " (choose columns by their names: --column)");
  }

  // Ends the file that was read last. Returns whether it is a text.
  bool end_file(std::string_view& text) {
    if (settings.is_csv) {
      if (!csv) csv.emplace(settings.csv, last_name);
      csv->finish();
      notes.csv.push_back(last_name + ": " + csv->summary());
      csv.reset();
    }
    if (guess && guess->is_csv() && notes.csv_like.empty()) {
      notes.csv_like = last_name + " " + guess->text();
      notes.csv_fix = fix_of_csv();
    }
    guess.reset();
    if (!settings.is_whole) return false;
    scratch = std::exchange(whole, {});
    text = scratch;
    text_line = 1;
    return true;
  }

  // `text` is the rest of a file: whether it is the whole file, and has CRs before its end.
  bool has_only_cr(std::string_view text) const {
    return line_number == 0 && settings.check_utf8 && text.substr(0, text.size() - 1).find('\r') != kNone;
  }

  // JSON spells NUL, other output does without it.
  std::string_view without_nul(std::string_view text) {
    if (text.find('\0') == kNone) return text;
    if (!settings.replace_invalid)
      throw Error(place() + ": a NUL in \"text\" (" + settings.invalid_fix + ")");
    scratch = with_bad_bytes_replaced(text);
    return scratch;
  }

  void drop_mark() {
    is_at_start = false;
    if (!std::string_view(buffer.data() + begin, end - begin).starts_with(kByteOrderMark)) return;
    begin += kByteOrderMark.size();
    scanned = std::max(scanned, begin);
    note_mark("");
  }

  void note_mark(const std::string& column) {
    if (!is_marked && notes.marked_files++ == 0) notes.first_marked = last_name + column;
    is_marked = true;
  }

  [[noreturn]] void too_long(std::string_view text) const {
    if (line_number == 0) refuse_compressed(text, last_name);
    throw Error(last_name + ":" + std::to_string(line_number + 1) +
                ": longer than 16 MiB (is this text with one example a line?)");
  }

  // `text` without its LF; `next` is where the following line begins.
  std::string_view finish(std::string_view text, std::size_t next) {
    if (text.size() > kMaxLine) too_long(text);
    if (line_number == 0) refuse_compressed(text, last_name);
    ++lines_read;
    bytes_read += next - begin;
    begin = scanned = next;
    ++line_number;
    is_at_start = false;
    const bool is_crlf = text.ends_with('\r');
    if (is_crlf) {
      text.remove_suffix(1);
      ++notes.crlf_lines;
    }
    if (settings.check_utf8) text = checked(text);
    if (settings.is_csv || settings.is_json || settings.is_whole) return text;
    if (settings.column > 0 || settings.has_columns) {
      bool has_cr = false;
      text = settings.column > 0 ? column_of(text, has_cr) : cleaned_columns(text, has_cr);
      notes.has_crlf_columns = notes.has_crlf_columns || has_cr;
      if (has_cr && !is_crlf) ++notes.crlf_lines;
      return text;
    }
    if (settings.refuses_tabs) refuse_tab(text);
    return text;
  }

  std::string place() const { return last_name + ":" + std::to_string(text_line); }

  std::string_view checked(std::string_view text) {
    const std::size_t bad = find_bad_byte(text);
    if (bad == kNone) return text;
    if (settings.replace_invalid) {
      scratch = with_bad_bytes_replaced(text);
      return scratch;
    }
    const std::string_view cure = line_number == 1 ? cure_of_file(text) : std::string_view();
    throw Error(last_name + ":" + std::to_string(line_number) + ":" +
                std::to_string(count_code_points(text.substr(0, bad)) + 1) + ": " +
                name_of_bad_byte(text[bad]) + " (" +
                (cure.empty() ? settings.invalid_fix : std::string(cure)) + ")");
  }

  // Column `number` without what cut -f and a reader of its lines would drop: the line's own mark and CR, in
  // its first and last column, are gone by now.
  std::string_view cleaned(std::string_view text, std::int64_t number, bool is_last, bool& has_cr) {
    if (number > 1 && line_number == 1 && text.starts_with(kByteOrderMark)) {
      text.remove_prefix(kByteOrderMark.size());
      note_mark(": column " + std::to_string(number));
    }
    if (!is_last && text.ends_with('\r')) {
      text.remove_suffix(1);
      has_cr = true;
    }
    return text;
  }

  std::string_view column_of(std::string_view text, bool& has_cr) {
    std::string_view rest = text;
    for (std::int64_t column = 1;; ++column) {
      const std::size_t tab = rest.find('\t');
      if (column == settings.column) return cleaned(rest.substr(0, tab), column, tab == kNone, has_cr);
      if (tab == kNone) {
        throw Error(last_name + ":" + std::to_string(line_number) + ": " + counted(column, "column") +
                    " where --column names column " + std::to_string(settings.column) +
                    " (columns are separated by one TAB)");
      }
      rest.remove_prefix(tab + 1);
    }
  }

  std::string_view cleaned_columns(std::string_view text, bool& has_cr) {
    if (line_number != 1 && text.find("\r\t") == kNone) return text;
    std::string joined;
    joined.reserve(text.size());
    std::string_view rest = text;
    for (std::int64_t column = 1;; ++column) {
      const std::size_t tab = rest.find('\t');
      joined += cleaned(rest.substr(0, tab), column, tab == kNone, has_cr);
      if (tab == kNone) break;
      joined += '\t';
      rest.remove_prefix(tab + 1);
    }
    scratch = std::move(joined);  // `text` may lie there
    return scratch;
  }

  void refuse_tab(std::string_view text) const {
    const std::size_t tab = text.find('\t');
    if (tab == kNone) return;
    throw Error(last_name + ":" + std::to_string(line_number) + ":" +
                std::to_string(count_code_points(text.substr(0, tab)) + 1) +
                ": a TAB where each line is one text (" +
                (guess && guess->is_csv() ? fix_of_csv() : settings.tab_fix) + ")");
  }

  // What to do with this file, which looks like CSV.
  std::string fix_of_csv() const {
    const std::string separator = guess->separator_option();
    return settings.csv_fix + (separator.empty() ? "" : " " + separator);
  }
};

LineReader::LineReader(std::vector<std::string> paths, LineReaderSettings settings)
    : impl_(std::make_unique<Impl>()) {
  if (paths.empty()) paths.emplace_back("-");
  impl_->paths = std::move(paths);
  impl_->settings = std::move(settings);
  impl_->check_readable();
}

LineReader::~LineReader() = default;

bool LineReader::next(std::string_view& line) {
  if (impl_->waiting_error) std::rethrow_exception(std::exchange(impl_->waiting_error, nullptr));
  impl_->show();
  const bool is_found = impl_->find(line, Impl::Wait::yes) == Impl::Found::line;
  if (!is_found) impl_->progress.reset();
  impl_->batch_lines.assign(1, impl_->text_line);
  impl_->batch_fields.assign(1, impl_->fields);
  return is_found;
}

void LineReader::next_batch(std::vector<std::string>& lines, std::size_t most) {
  std::size_t count = 0, bytes = 0;
  std::string_view line;
  if (most > 0 && next(line)) {
    const auto keep = [&] {
      if (count < lines.size()) {
        lines[count].assign(line);
      } else {
        lines.emplace_back(line);
      }
      ++count;
      bytes += line.size();
    };
    keep();
    try {
      while (count < most && bytes < kMaxBatch && impl_->find(line, Impl::Wait::no) == Impl::Found::line) {
        impl_->batch_lines.push_back(impl_->text_line);
        impl_->batch_fields.push_back(impl_->fields);
        keep();
      }
    } catch (const Error&) {
      impl_->waiting_error = std::current_exception();
    }
  }
  lines.resize(count);
}

void LineReader::show_progress(bool is_quiet, Writes writes) {
  const std::optional<std::uint64_t> bytes = bytes_to_read(impl_->paths);
  if (!bytes || (writes == Writes::meanwhile && is_output_watched())) return;
  impl_->progress = std::make_unique<Progress>(std::string(tool_name()), static_cast<double>(*bytes), "lines",
                                               is_quiet, Progress::Takes::minutes);
  impl_->show();
}

std::string LineReader::place() const { return impl_->place(); }

std::string LineReader::place(std::size_t i) const {
  return impl_->last_name + ":" + std::to_string(impl_->batch_lines[i]);
}

std::string LineReader::place_of_column(std::size_t i, std::size_t column, std::size_t before) const {
  if (!impl_->settings.is_csv) return place(i) + ":" + std::to_string(before + 1);
  return impl_->last_name + ":" + std::to_string(impl_->batch_fields[i][column]) + ": column " +
         impl_->csv_names[column];
}

std::uint64_t LineReader::crlf_lines() const { return impl_->notes.crlf_lines; }

void LineReader::note_dropped() const { impl_->notes.say(); }

std::string at_place(const std::string& place, std::string_view what) {
  const bool begins_itself = what.starts_with(' ') || (!what.empty() && what[0] >= '0' && what[0] <= '9');
  return place + (begins_itself ? ":" : ": ") + std::string(what);
}

}  // namespace headwater::cli
