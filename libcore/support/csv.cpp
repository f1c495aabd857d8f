#include "support/csv.hpp"

#include <algorithm>
#include <utility>

#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"

namespace headwater {

namespace {

constexpr std::size_t kMaxRecord = std::size_t{1} << 24;  // bytes of its fields
constexpr std::size_t kMaxFields = 4096;

}  // namespace

char csv_separator(std::string_view line, std::size_t columns) {
  if (line.find('\t') != line.npos) return 0;
  for (const char separator : {',', ';'}) {
    if (line.find(separator) == line.npos) continue;
    try {
      CsvParser parser("", separator);
      // An open quote: the record goes on, with more fields maybe.
      if (!parser.add_line(line) || parser.fields() >= std::max<std::size_t>(columns, 2)) return separator;
    } catch (const Error&) {  // no CSV
    }
  }
  return 0;
}

std::string csv_cure(std::string_view line, std::size_t columns) {
  const char separator = csv_separator(line, columns);
  if (separator == 0) return {};
  // Recipes name the columns of commas alone.
  return separator == ';' ? "looks like CSV: vectorize --csv --separator ';' makes lines of columns"
                          : "looks like CSV: set data.csv_columns, or vectorize --csv";
}

CsvParser::CsvParser(std::string file, char separator) : file_(std::move(file)), separator_(separator) {}

void CsvParser::fail(std::string_view line, std::size_t at, const std::string& what) const {
  throw Error(file_ + ":" + std::to_string(line_) + ":" +
              std::to_string(count_code_points(line.substr(0, at)) + 1) + ": " + what);
}

void CsvParser::fail_open(const std::string& what) const {
  throw Error(file_ + ":" + std::to_string(open_line_) + ":" + std::to_string(open_column_) + ": " + what +
              " (a quote inside a field in quotes is written twice: \"\")");
}

void CsvParser::append(std::string_view piece) {
  if (piece.empty()) return;
  if (has_break_) {
    const bool is_first = text_.size() == (ends_.empty() ? 0 : ends_.back());
    if (!is_first && text_.back() != ' ' && piece.front() != ' ') text_.push_back(' ');
    has_break_ = false;
  }
  text_ += piece;
}

void CsvParser::end_field() {
  has_break_ = false;
  ends_.push_back(text_.size());
  state_ = State::before_field;
}

void CsvParser::fail_return(std::string_view line, std::size_t at) const {
  fail(line, at,
       "a CR alone outside quotes, where LF or CR LF ends lines (tr '\\r' '\\n' makes such ends of CRs)");
}

bool CsvParser::add_line(std::string_view line) {
  ++line_;
  while (line.ends_with('\r')) line.remove_suffix(1);  // of CR CR LF
  if (state_ != State::quoted) {
    text_.clear();
    ends_.clear();
    lines_.clear();
    first_line_ = line_;
    has_quotes_ = false;
  } else {
    has_break_ = true;  // the line end inside quotes
  }
  if (text_.size() + line.size() > kMaxRecord) {
    if (state_ == State::quoted) fail_open("the quote that opens here is not closed within 16 MiB");
    fail(line, 0, "a record longer than 16 MiB (is this CSV?)");
  }
  std::size_t counted_to = 0, column = 1;  // of the last quote that opened a field in this line
  for (std::size_t at = 0;;) {
    switch (state_) {
      case State::before_field:
        if (ends_.size() == kMaxFields)
          fail(line, at, "more than " + std::to_string(kMaxFields) + " fields (is this CSV?)");
        lines_.push_back(line_);
        if (at < line.size() && line[at] == '"') {
          open_line_ = line_;
          column += count_code_points(line.substr(counted_to, at - counted_to));
          counted_to = at;
          open_column_ = column;
          has_quotes_ = true;
          state_ = State::quoted;
          ++at;
        } else {
          state_ = State::plain;
        }
        break;
      case State::plain: {
        // A quote in the middle is a character like others, as spreadsheets read it; after spaces it may as
        // well be meant to open the field.
        const std::size_t begin = at;
        while (at < line.size() && line[at] != separator_ && line[at] != '\t' && line[at] != '\r') ++at;
        if (at < line.size() && line[at] == '\r') fail_return(line, at);
        const std::string_view piece = line.substr(begin, at - begin);
        const std::size_t first = piece.find_first_not_of(' ');
        if (first != piece.npos && piece[first] == '"' && first > 0 &&
            text_.size() == (ends_.empty() ? 0 : ends_.back()))
          fail(line, begin + first, "a quote after spaces (a field in quotes begins with the quote itself)");
        append(piece);
        if (at == line.size() || line[at] == separator_) {
          end_field();
          if (at++ == line.size()) return true;
        } else {
          has_break_ = true;
          ++at;
        }
        break;
      }
      case State::quoted: {
        const std::size_t begin = at;
        while (at < line.size() && line[at] != '"' && line[at] != '\t' && line[at] != '\r') ++at;
        append(line.substr(begin, at - begin));
        if (at == line.size()) return false;
        if (line[at] == '"') {
          state_ = State::after_quote;
        } else {
          has_break_ = true;
        }
        ++at;
        break;
      }
      case State::after_quote:
        if (at < line.size() && line[at] == '"') {
          append("\"");
          state_ = State::quoted;
          ++at;
        } else if (at == line.size() || line[at] == separator_) {
          end_field();
          if (at++ == line.size()) return true;
        } else if (line[at] == '\r') {
          fail_return(line, at);
        } else {
          fail(line, at,
               "text after the quote that closes a field (a quote inside such a field is written twice: "
               "\"\")");
        }
        break;
    }
  }
}

void CsvParser::finish() const {
  if (state_ == State::quoted) fail_open("the quote that opens here is never closed");
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) field.append(c == '"' ? 2 : 1, c);
  return field + "\"";
}

namespace {

constexpr std::int64_t kLinesRead = 1000;

std::string_view without_white_space(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kWhite);
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(kWhite) + 1 - begin);
}

// A short text that begins with a letter, and no sentence.
bool may_be_name_of_column(std::string_view field) {
  constexpr std::size_t kMostBytes = 40;
  field = without_white_space(field);
  if (field.empty() || field.size() > kMostBytes || std::string_view(".!?").find(field.back()) != field.npos)
    return false;
  return std::string_view("0123456789-+.").find(field.front()) == std::string_view::npos;
}

// Quotes beside the separator, as CSV has them: of prose a space follows the comma after a quote.
bool has_quoted_field(std::string_view line, char separator) {
  for (std::size_t at = line.find(separator); at != line.npos; at = line.find(separator, at + 1)) {
    const bool is_before = at > 0 && line[at - 1] == '"', is_last = at + 1 == line.size();
    if (is_last ? is_before : line[at + 1] == '"' || (is_before && line[at + 1] != ' ')) return true;
  }
  return false;
}

}  // namespace

bool is_name_of_column(std::string_view field) {
  static constexpr std::string_view kNames[] = {
      "answer",   "author",  "category", "class",     "comment",  "content",     "date",    "description",
      "document", "genre",   "id",       "index",     "input",    "intent",      "label",   "labels",
      "language", "message", "name",     "output",    "polarity", "question",    "rating",  "reference",
      "review",   "score",   "sentence", "sentiment", "source",   "stars",       "subject", "summary",
      "tag",      "target",  "text",     "title",     "topic",    "translation", "tweet",   "type",
      "url",      "user",    "utterance"};
  std::string lower(without_white_space(field));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::string_view last = std::string_view(lower).substr(lower.find_last_of(" _-") + 1);
  return lower.size() <= 30 && std::find(std::begin(kNames), std::end(kNames), last) != std::end(kNames);
}

CsvGuess::CsvGuess() : readings_{Reading{CsvParser("", ',')}, Reading{CsvParser("", ';')}} {}

void CsvGuess::add(std::string_view line) {
  if (lines_ == kLinesRead) return;
  ++lines_;
  for (Reading& reading : readings_) add(reading, line);
}

void CsvGuess::add(Reading& reading, std::string_view line) {
  if (!reading.is_possible) return;
  reading.is_possible = line.find('\t') == line.npos;
  if (!reading.is_possible) return;
  try {
    reading.has_quotes = reading.has_quotes || has_quoted_field(line, reading.parser.separator());
    if (!reading.parser.add_line(line)) return;
    const std::size_t fields = reading.parser.fields();
    if (reading.first.empty()) {
      for (std::size_t i = 0; i < fields; ++i) reading.first.emplace_back(reading.parser.field(i));
    }
    const bool is_empty = fields == 1 && reading.parser.field(0).empty();
    reading.is_possible = reading.first.size() > 1 && (fields == reading.first.size() || is_empty);
    ++reading.records;
  } catch (const Error&) {
    reading.is_possible = false;
  }
}

const CsvGuess::Reading* CsvGuess::found() const {
  for (const Reading& reading : readings_) {
    if (!reading.is_possible || reading.first.size() < 2) continue;
    // Prose may have a comma in each of a few lines.
    constexpr std::int64_t kManyRecords = 20;
    const bool has_names = std::all_of(reading.first.begin(), reading.first.end(), is_name_of_column);
    if (reading.records >= kManyRecords || has_names || (reading.has_quotes && reading.records > 1))
      return &reading;
  }
  return nullptr;
}

std::string CsvGuess::text() const {
  // A record of data may consist of unknown names, too.
  const std::vector<std::string>& first = found()->first;
  const bool has_names = std::any_of(first.begin(), first.end(), is_name_of_column) &&
                         std::all_of(first.begin(), first.end(), [](std::string_view field) {
                           return is_name_of_column(field) || may_be_name_of_column(field);
                         });
  return "looks like CSV of " + std::to_string(first.size()) + " fields" +
         (has_names ? " (" + quoted_list(first) + ")" : "") + ", which is no column of text";
}

std::optional<std::string> CsvGuess::separator_option(std::size_t columns) const {
  for (const Reading& reading : readings_) {
    if (reading.is_possible && (reading.first.size() >= columns || reading.records == 0))
      return option_of(reading);
  }
  return std::nullopt;
}

std::string CsvGuess::option_of(const Reading& reading) {
  return reading.parser.separator() == ',' ? "" : "--separator ';'";
}

namespace {

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// The number of the column from 1, or 0.
std::size_t number_of_column(std::string_view column) {
  if (column.starts_with('0')) return 0;
  std::size_t number = 0;
  parse_number(column, number);
  return number;
}

}  // namespace

CsvColumns::CsvColumns(CsvSettings settings, const std::string& file)
    : settings_(std::move(settings)), file_(file), parser_(file, settings_.separator) {}

bool CsvColumns::add_line(std::string_view line, std::string_view& text) {
  if (!parser_.add_line(line)) return false;
  // An empty line is no record, but where records have one field.
  const bool is_empty = parser_.fields() == 1 && parser_.field(0).empty() && !parser_.has_several_lines() &&
                        !parser_.has_quotes();
  if (is_empty && width_ != 1) return false;
  if (width_ == 0) {
    width_ = parser_.fields();
    choose();
    if (settings_.has_header) return false;
  }
  if (parser_.fields() != width_) fail_width();
  ++records_;
  several_ += parser_.has_several_lines() ? 1 : 0;
  text_.clear();
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    if (i > 0) text_ += '\t';
    text_ += parser_.field(chosen_[i]);
  }
  text = text_;
  return true;
}

void CsvColumns::finish() const {
  parser_.finish();
  if (width_ == 0) throw Error(file_ + ": no records (the file is empty)");
}

std::string CsvColumns::summary() const {
  std::string text = counted(static_cast<std::int64_t>(records_), "record") + " of " +
                     counted(static_cast<std::int64_t>(width_), "field");
  if (several_ > 0)
    text += ", " + format_count(static_cast<std::int64_t>(several_)) +
            " of them of several lines, which are one now";
  return text;
}

std::vector<std::uint64_t> CsvColumns::lines() const {
  std::vector<std::uint64_t> lines;
  for (const std::size_t column : chosen_) lines.push_back(parser_.line_of_field(column));
  return lines;
}

std::string CsvColumns::name(std::size_t chosen) const {
  if (settings_.columns.empty()) return std::to_string(chosen_[chosen] + 1);
  const std::string& column = settings_.columns[chosen];
  return number_of_column(column) > 0 ? column : quote(column);
}

std::string CsvColumns::place() const { return file_ + ":" + std::to_string(parser_.line()); }

void CsvColumns::choose() {
  if (settings_.columns.empty()) {
    const bool is_one = settings_.wanted == 1;
    if (settings_.wanted != 0 && width_ != settings_.wanted)
      throw Error(place() + ": " + counted(static_cast<std::int64_t>(width_), "column") + " where " +
                  (is_one ? "one text is" : std::to_string(settings_.wanted) + " are") + " wanted (choose " +
                  (is_one ? "it" : "them") + " with --column" +
                  (settings_.has_header ? ": " + known_names() : " N") + ")");
    for (std::size_t i = 0; i < width_; ++i) chosen_.push_back(i);
    for (std::size_t i = 0; settings_.has_header && i < width_; ++i)
      header_.append(without_spaces(parser_.field(i))).push_back('\t');
  }
  for (const std::string& column : settings_.columns) chosen_.push_back(find(column));
}

std::string CsvColumns::known_names() const {
  constexpr std::size_t kMostShown = 10;
  std::string known;
  for (std::size_t i = 0; i < std::min(width_, kMostShown); ++i)
    known += (i > 0 ? ", " : "") + quote(without_spaces(parser_.field(i)));
  if (width_ > kMostShown) known += ", ... " + std::to_string(width_) + " in all";
  return known;
}

std::size_t CsvColumns::find(const std::string& column) const {
  std::vector<std::string> names;
  std::size_t found = width_;
  for (std::size_t i = 0; i < width_ && settings_.has_header; ++i) {
    names.emplace_back(without_spaces(parser_.field(i)));
    if (names.back() != column) continue;
    if (found < width_) throw Error(place() + ": two columns " + quote(column) + " (name it by its number)");
    found = i;
  }
  if (found < width_) return found;
  const std::size_t number = number_of_column(column);
  if (number >= 1 && number <= width_) return number - 1;
  if (!settings_.has_header) {
    throw Error(place() + ": no column " + quote(column) +
                " (without a header columns are numbers from 1 to " + std::to_string(width_) + ")");
  }
  const std::string_view nearest = nearest_word(column, names);
  const bool is_near = !nearest.empty() && number == 0 && edit_distance(column, nearest) < column.size();
  const std::string cure = width_ == 1 ? "; if another character separates fields: --separator"
                           : is_near   ? "; did you mean " + quote(nearest) + "?"
                                       : "";
  throw Error(place() + ": no column " + quote(column) + " (the header has " + known_names() + cure + ")");
}

void CsvColumns::fail_width() const {
  const std::string separator = settings_.separator == '\t' ? "TAB" : std::string(1, settings_.separator);
  throw Error(place() + ": " + counted(static_cast<std::int64_t>(parser_.fields()), "field") +
              " where the first record has " + std::to_string(width_) + " (a field that holds " + separator +
              " stands in quotes)");
}

}  // namespace headwater
