#include "data/token_dataset.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "support/bytes.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {
namespace {

constexpr std::string_view kIdsHeader = "#ids ";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `at` points into `line`.
[[noreturn]] void fail(std::string_view place, std::string_view line, const char* at,
                       const std::string& what) {
  const std::size_t before = at - line.data();
  throw Error(std::string(place) + ":" + std::to_string(count_code_points(line.substr(0, before)) + 1) +
              ": " + what);
}

std::string_view up_to_space(std::string_view text) { return text.substr(0, text.find(' ')); }

}  // namespace

TokenDataset::TokenDataset(std::vector<TokenColumnSettings> columns) {
  if (columns.empty()) throw Error("id columns: none given (name at least one)");
  for (TokenColumnSettings& settings : columns) {
    Column& column = columns_.emplace_back();
    column.settings = std::move(settings);
    column.labels_as = column.settings.labels_as;
    if (column.settings.labels != nullptr) column.doubtful_label = column.settings.labels->name_of_other_id();
  }
}

std::int64_t TokenDataset::truncated() const {
  std::int64_t sum = 0;
  for (const Column& column : columns_) sum += column.truncated;
  return sum;
}

std::vector<ColumnTokenCounts> TokenDataset::token_counts() const {
  std::vector<ColumnTokenCounts> counts;
  for (const Column& column : columns_) {
    if (column.settings.special.unknown >= 0) counts.push_back({column.settings.name, column.counts});
  }
  return counts;
}

std::string TokenDataset::names() const {
  std::string out;
  for (const Column& column : columns_) {
    if (!out.empty()) out += ", ";
    out += column.settings.name;
  }
  return out;
}

void TokenDataset::add_line(std::string_view line, std::string_view place) {
  if (line.starts_with(kIdsHeader)) {
    check_header(line, place);
    return;
  }
  ++lines_;
  bool has_empty = false;
  std::string_view rest = line;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::size_t tab = rest.find('\t');
    const bool is_last = c + 1 == columns_.size();
    if (is_last != (tab == std::string_view::npos)) {
      const std::size_t found = static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t')) + 1;
      const char* at = is_last ? rest.data() + tab : line.data() + line.size();
      const std::string cure = csv_cure(line, columns_.size());
      fail(place, line, at,
           std::to_string(found) + (found == 1 ? " column" : " columns") + " where " +
               std::to_string(columns_.size()) + (columns_.size() == 1 ? " is" : " are") + " wanted: " +
               names() + " (" + (cure.empty() ? "separate columns by one TAB, as paste does" : cure) + ")");
    }
    const std::string_view field = rest.substr(0, tab);
    if (columns_[c].settings.labels != nullptr) {
      add_label(columns_[c], field, line, place);
    } else {
      add_ids(columns_[c], field, line, place);
    }
    has_empty = has_empty || (field.empty() && !columns_[c].settings.may_be_empty);
    rest.remove_prefix(is_last ? rest.size() : tab + 1);
  }
  if (has_empty) {
    ++skipped_;
    for (Column& column : columns_) column.shorten(0);
    return;
  }
  for (Column& column : columns_) {
    const auto count = static_cast<std::int64_t>(column.lists.open().size());
    if (column.settings.max_length > 0 && count > column.settings.max_length) {
      column.shorten(column.settings.max_length);
      ++column.truncated;
    }
    if (column.settings.special.unknown >= 0) column.counts.add(column.lists.open(), column.settings.special);
    column.lists.close();
  }
}

void TokenDataset::Column::shorten(std::int64_t count) {
  lists.shorten_open(count);
  if (settings.has_values) values.resize(lists.total_ids());
}

// `word` begins after an id.
float TokenDataset::read_value(const Column& column, std::string_view word, std::string_view line,
                               std::string_view place) {
  const std::string name = quote(column.settings.name);
  if (!word.starts_with(':')) {
    fail(place, line, word.data(),
         "an id without a value in column " + name +
             " (entries are written id:value, as vectorize --output count, tf-idf and sublinear-tf-idf do)");
  }
  float value = 0;
  if (!parse_number(word.substr(1), value) || !std::isfinite(value)) {
    fail(
        place, line, word.data() + 1,
        quote(word.substr(1)) + " is not a value in column " + name + " (values are finite decimal numbers)");
  }
  return value;
}

void TokenDataset::add_ids(Column& column, std::string_view field, std::string_view line,
                           std::string_view place) {
  const TokenColumnSettings& settings = column.settings;
  const char* at = field.data();
  const char* const end = at + field.size();
  while (at < end) {
    const char* const start = at;
    std::int64_t id = 0;
    for (; at < end && is_digit(*at) && at - start < 10; ++at) id = id * 10 + (*at - '0');
    const bool ends_well = at == end || *at == ' ' || (settings.has_values && *at == ':');
    const bool is_id = at > start && ends_well && (*start != '0' || at == start + 1);
    if (is_id && settings.has_values) {
      const std::string_view word = up_to_space({at, static_cast<std::size_t>(end - at)});
      column.values.push_back(read_value(column, word, line, place));
      at += word.size();
    }
    const bool ends_in_space = at < end && at + 1 == end;
    if (!is_id || ends_in_space) {
      const std::string_view word = up_to_space({start, static_cast<std::size_t>(end - start)});
      if (word.empty() || (is_id && ends_in_space)) {
        fail(place, line, is_id ? at : start, "a space too many (ids are separated by one space)");
      }
      fail(place, line, start,
           quote(word) +
               " is not an id (ids are decimal numbers separated by one space; has the text been through "
               "vectorize?)");
    }
    if (id >= settings.vocabulary) {
      fail(place, line, start,
           "id " + std::to_string(id) + " in column " + quote(settings.name) +
               ", but its vocabulary ends at " + std::to_string(settings.vocabulary - 1) +
               " (use the tokenizer that the ids were made with)");
    }
    column.lists.push(static_cast<std::int32_t>(id));
    if (at < end) ++at;  // the space
  }
  const auto count = static_cast<std::int64_t>(column.lists.open().size());
  if (count > 0 && count < settings.min_length) {
    fail(place, line, field.data(),
         std::to_string(count) + (count == 1 ? " id" : " ids") + " in column " + quote(settings.name) +
             ", which needs at least " + std::to_string(settings.min_length) +
             " (vectorize it with --start --end)");
  }
  if (count > 0 && settings.first_id >= 0 && column.lists.open().front() != settings.first_id) {
    fail(place, line, field.data(),
         "id " + std::to_string(column.lists.open().front()) + " in column " + quote(settings.name) +
             ", which begins with the start token " + std::to_string(settings.first_id) +
             " (vectorize it with --start --end, or put the columns into the recipe's order)");
  }
}

// The id, or -1. The first line that tells which of the two ways a column has decides for all.
std::int32_t TokenDataset::read_label(Column& column, std::string_view field) {
  const LabelSet& labels = *column.settings.labels;
  const std::int32_t of_name = column.labels_as == LabelsAs::ids ? -1 : labels.find(field);
  const std::int32_t of_id = column.labels_as == LabelsAs::names ? -1 : labels.find_id(field);
  if (of_name != of_id) column.labels_as = of_name >= 0 ? LabelsAs::names : LabelsAs::ids;
  return std::max(of_name, of_id);
}

void TokenDataset::fail_on_label(const Column& column, std::string_view field, std::string_view line,
                                 std::string_view place) {
  const LabelSet& labels = *column.settings.labels;
  const bool are_names = column.labels_as == LabelsAs::names, are_ids = column.labels_as == LabelsAs::ids;
  std::string known = "known: " + labels.shown(), cure = csv_cure(field, 2);
  const std::string ids = "from 0 to " + std::to_string(labels.size() - 1);
  if (are_ids) known = "ids are " + ids;
  if (!are_names && !are_ids) known += ", or their numbers " + ids;
  if (cure.empty()) {
    const bool is_other = (are_names && labels.find_id(field) >= 0) || (are_ids && labels.find(field) >= 0);
    cure = !is_other   ? "are the columns in the recipe's order?"
           : are_names ? "this column has names"
                       : "this column has ids; --labels-as names or ids says what it has";
  }
  fail(place, line, field.data(),
       quote(field) + (are_ids ? " is no id of a label (" : " is no label of the set (") + known + "; " +
           cure + ")");
}

void TokenDataset::add_label(Column& column, std::string_view field, std::string_view line,
                             std::string_view place) {
  const LabelSet& labels = *column.settings.labels;
  if (field.empty()) {
    fail(place, line, field.data(), "no label (every line needs one of " + labels.shown() + ")");
  }
  if (column.labels_as == LabelsAs::unsaid && column.doubtful_label != nullptr) {
    const std::string& name = *column.doubtful_label;
    const std::size_t id = labels.find_id(trimmed(name));
    fail(place, line, field.data(),
         "labels that are numbers: " + quote(name) + " is the name of one label and the id of another, " +
             quote(labels.labels()[id]) +
             " (say which the column has: --labels-as names, or --labels-as ids for what vectorize --labels "
             "wrote; a header line says ids, too)");
  }
  const std::int32_t id = read_label(column, field);
  if (id < 0) fail_on_label(column, field, line, place);
  column.lists.push(id);
}

void TokenDataset::check_header(std::string_view line, std::string_view place) {
  std::string_view rest = line;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::size_t tab = rest.find('\t');
    const bool is_last = c + 1 == columns_.size();
    if (is_last != (tab == std::string_view::npos)) {
      fail(place, line, is_last ? rest.data() + tab : line.data() + line.size(),
           "a header that does not name " + std::to_string(columns_.size()) + " columns: " + names() +
               " (vectorize all of them with --header, or none)");
    }
    check_header_field(columns_[c], rest.substr(0, tab), line, place);
    columns_[c].labels_as = LabelsAs::ids;
    rest.remove_prefix(is_last ? rest.size() : tab + 1);
  }
}

void TokenDataset::check_header_field(const Column& column, std::string_view field, std::string_view line,
                                      std::string_view place) const {
  const TokenColumnSettings& settings = column.settings;
  if (!field.starts_with(kIdsHeader))
    fail(place, line, field.data(), "a column without its header (vectorize it with --header)");
  if (settings.labels_as == LabelsAs::names)
    fail(place, line, field.data(),
         "a header line, after which labels are ids (leave out --labels-as names, or the header)");
  std::string_view rest = field.substr(kIdsHeader.size());
  if (up_to_space(rest) != "v1") {
    fail(place, line, rest.data(),
         "header version " + quote(up_to_space(rest)) + ", this program knows v1 (vectorize again)");
  }
  while (true) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return;
    rest.remove_prefix(space + 1);
    const std::string_view word = up_to_space(rest);
    const std::string_view value = word.substr(std::min(word.find('=') + 1, word.size()));
    if (word.starts_with("vocab=")) {
      const std::string fault = column.fault_of_vocabulary(value);
      if (!fault.empty()) fail(place, line, rest.data(), fault);
    } else if (word.starts_with("size=")) {
      const std::string fault = column.fault_of_size(value);
      if (!fault.empty()) fail(place, line, rest.data(), fault);
    } else if (word.starts_with("pad=")) {
      if (value == "0" || value == "-1") continue;  // label sets have none
      fail(place, line, rest.data(),
           "padding id " + quote(value) + ", this program knows 0 (vectorize again)");
    } else {
      fail(place, line, rest.data(),
           "unknown word " + quote(word) + " in the header (known: vocab=, size=, pad=)");
    }
  }
}

std::string TokenDataset::Column::fault_of_vocabulary(std::string_view value) const {
  // A header holds the first 16 digits.
  const std::string& own = settings.vocabulary_hash;
  if (own.empty() || own == value || (value.size() >= 16 && own.starts_with(value))) return {};
  return "ids were made with vocabulary " + quote(value) + ", but column " + quote(settings.name) +
         " needs " + own + " (vectorize again with the model's tokenizer)";
}

std::string TokenDataset::Column::fault_of_size(std::string_view value) const {
  if (value == std::to_string(settings.vocabulary)) return {};
  return "ids were made with a vocabulary of " + quote(value) + ", but column " + quote(settings.name) +
         " has " + std::to_string(settings.vocabulary) + " (vectorize again with the model's tokenizer)";
}

void TokenDataset::finish(std::string_view where, bool is_empty_allowed) {
  for (Column& column : columns_) {
    column.values.shrink_to_fit();
  }
  const std::string start = std::string(where) + ": ";
  if (lines_ == 0) throw Error(start + "no examples (is the stage before it still alive?)");
  if (skipped_ * 100 > lines_ && !is_empty_allowed) {
    throw Error(start + std::to_string(skipped_) + " of " + counted(lines_, "line") +
                (skipped_ == 1 ? " has" : " have") +
                " an empty column, more than 1 % (did a stage of the pipe die? if not, " + cure_of_empty_ +
                ")");
  }
  if (examples() == 0)
    throw Error(start + "no line without an empty column, of " + std::to_string(lines_) + " (give some)");
}

std::size_t TokenDataset::column(std::string_view name) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].settings.name == name) return c;
  }
  throw Error("id columns: no column " + quote(name) + " (there are " + names() + ")");
}

std::string TokenDataset::hash() const {
  if (reads_ != nullptr) return hash_;
  Hasher hasher;
  std::vector<std::int64_t> ends;
  for (const Column& column : columns_) {
    // Where examples end, from 0 on, as 64-bit numbers; then the ids.
    ends.assign(1, 0);
    for (std::int64_t e = 0; e < column.lists.size(); ++e) {
      ends.push_back(column.lists.end_of(e));
      if (ends.size() < 4096) continue;
      hasher.update(raw_bytes(ends));
      ends.clear();
    }
    hasher.update(raw_bytes(ends));
    hasher.update(
        raw_bytes(std::span(column.lists.ids(), static_cast<std::size_t>(column.lists.total_ids()))));
    if (column.settings.has_values) hasher.update(raw_bytes(column.values));
  }
  return hasher.digest();
}

std::int64_t TokenDataset::bytes_beyond_ids() const {
  std::int64_t bytes = 0;
  for (const Column& column : columns_) bytes += column.lists.bytes_beyond_ids();
  return bytes;
}

ColumnSubset::ColumnSubset(Subset of, std::initializer_list<std::string_view> names)
    : subset(std::move(of)), columns(static_cast<const TokenDataset*>(subset.dataset)) {
  for (const std::string_view name : names) column.push_back(columns == nullptr ? 0 : columns->column(name));
}

}  // namespace headwater
