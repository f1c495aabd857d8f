#include "support/csv_columns.hpp"

#include <algorithm>
#include <utility>

#include "support/decimal.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {
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
