#include "support/csv_guess.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/name_list.hpp"

namespace headwater {
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

}  // namespace headwater
