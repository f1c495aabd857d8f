#include "tools/vectorize/csv.hpp"

#include <charconv>

#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "text/csv.hpp"

namespace headwater::vectorize {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

char separator_of(const std::string& text) {
  if (text == "tab") return '\t';
  const bool is_one = text.size() == 1 && text[0] > ' ' && text[0] <= '~';
  if (text != "\t" && (!is_one || text == "\"")) {
    throw UsageError("--separator: " + quote(text) +
                     " is not one character of ASCII but a quote (\",\", \";\", \"|\", or tab)");
  }
  return text[0];
}

// The number of the column from 1, or 0.
std::size_t number_of(std::string_view column) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), number);
  return error == std::errc() && end == column.data() + column.size() ? number : 0;
}

// One file: its header, then its records.
class Columns {
 public:
  Columns(const CsvOptions& o, const std::string& file, char separator)
      : o_(o), file_(file), parser_(file, separator), separator_(separator) {}

  void add_line(std::string_view line, cli::LineWriter& writer) {
    if (!parser_.add_line(line)) return;
    // An empty line is no record, but where records have one field.
    const bool is_empty = parser_.fields() == 1 && parser_.field(0).empty() && !parser_.has_several_lines();
    if (is_empty && width_ != 1) return;
    if (width_ == 0) {
      width_ = parser_.fields();
      choose();
      if (o_.has_header) return;
    }
    if (parser_.fields() != width_) fail_width();
    ++records_;
    several_ += parser_.has_several_lines() ? 1 : 0;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (i > 0) writer.text("\t");
      writer.text(parser_.field(chosen_[i]));
    }
    writer.line("");
  }

  void finish() const {
    parser_.finish();
    if (width_ == 0) throw Error(file_ + ": no records (the file is empty)");
    if (o_.is_quiet) return;
    const auto count = [](std::uint64_t n, std::string_view what) {
      return format_count(static_cast<std::int64_t>(n)) + " " + std::string(what) + (n == 1 ? "" : "s");
    };
    cli::note(file_ + ": " + count(records_, "record") + " of " + count(width_, "field") +
              (several_ > 0 ? ", " + format_count(static_cast<std::int64_t>(several_)) +
                                  " of them of several lines, which are one now"
                            : std::string()));
  }

 private:
  std::string place() const { return file_ + ":" + std::to_string(parser_.line()); }

  void choose() {
    if (o_.columns.empty()) {
      for (std::size_t i = 0; i < width_; ++i) chosen_.push_back(i);
    }
    for (const std::string& column : o_.columns) chosen_.push_back(find(column));
  }

  std::size_t find(const std::string& column) const {
    std::vector<std::string> names;
    std::size_t found = width_;
    for (std::size_t i = 0; i < width_ && o_.has_header; ++i) {
      names.emplace_back(trimmed(parser_.field(i)));
      if (names.back() != column) continue;
      if (found < width_)
        throw Error(place() + ": two columns " + quote(column) + " (name it by its number)");
      found = i;
    }
    if (found < width_) return found;
    const std::size_t number = number_of(column);
    if (number >= 1 && number <= width_) return number - 1;
    if (!o_.has_header) {
      throw Error(place() + ": no column " + quote(column) +
                  " (without a header columns are numbers from 1 to " + std::to_string(width_) + ")");
    }
    constexpr std::size_t kMostShown = 10;
    std::string known;
    for (std::size_t i = 0; i < std::min(width_, kMostShown); ++i)
      known += (i > 0 ? ", " : "") + quote(names[i]);
    if (width_ > kMostShown) known += ", ... " + std::to_string(width_) + " in all";
    const std::string_view nearest = nearest_word(column, names);
    const bool is_near = !nearest.empty() && number == 0 && edit_distance(column, nearest) < column.size();
    const std::string cure = width_ == 1 ? "; if another character separates fields: --separator"
                             : is_near   ? "; did you mean " + quote(nearest) + "?"
                                         : "";
    throw Error(place() + ": no column " + quote(column) + " (the header has " + known + cure + ")");
  }

  [[noreturn]] void fail_width() const {
    const std::string separator = separator_ == '\t' ? "TAB" : std::string(1, separator_);
    throw Error(place() + ": " + std::to_string(parser_.fields()) +
                (parser_.fields() == 1 ? " field" : " fields") + " where the first record has " +
                std::to_string(width_) + " (a field that holds " + separator + " stands in quotes)");
  }

  const CsvOptions& o_;
  std::string file_;
  CsvParser parser_;
  char separator_;
  std::size_t width_ = 0;  // fields of a record; 0: none was read
  std::vector<std::size_t> chosen_;
  std::uint64_t records_ = 0, several_ = 0;
};

}  // namespace

void write_csv_columns(const CsvOptions& o) {
  const char separator = separator_of(o.separator);
  const std::vector<std::string> files = o.files.empty() ? std::vector<std::string>{"-"} : o.files;
  cli::LineReader all(files,
                      o.reader);  // says now what cannot be read; each file has a reader of its own below
  cli::LineWriter writer;
  for (const std::string& file : files) {
    cli::LineReader reader({file}, o.reader);
    reader.show_progress(o.is_quiet);
    Columns columns(o, file, separator);
    constexpr std::size_t kBatch = 4096;
    reader.for_each_batch(kBatch, [&](const std::vector<std::string>& lines) {
      for (const std::string& line : lines) columns.add_line(line, writer);
      writer.flush();
    });
    columns.finish();
    if (!o.is_quiet) reader.note_dropped();
  }
}

}  // namespace headwater::vectorize
