#include "support/csv.hpp"

#include <algorithm>
#include <utility>

#include "support/error.hpp"
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

}  // namespace headwater
