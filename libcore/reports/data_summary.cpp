#include "reports/data_summary.hpp"

#include <algorithm>
#include <cmath>

#include "metrics/words.hpp"
#include "reports/table.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

constexpr std::size_t kMaxClasses = 10000, kMaxLabelBytes = 1000;
constexpr std::int64_t kMaxGuessedClasses = 1000;
constexpr std::size_t kMaxColumns = 64;
constexpr std::size_t kBins = 16, kBarColumns = 50;

// The least of 1, 2, 5, 10, 20, 50, ... that is not below `least`.
std::int64_t round_width(double least) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (static_cast<double>(digit * power) >= least) return digit * power;
    }
  }
}

std::string percent(std::int64_t part, std::int64_t all) {
  return format_fixed(100 * static_cast<double>(part) / static_cast<double>(all), 1) + " %";
}

}  // namespace

void LengthCounts::add(std::int64_t words) {
  ++counts_[words];
  ++samples_;
  words_ += words;
}

double LengthCounts::mean() const {
  return samples_ == 0 ? 0 : static_cast<double>(words_) / static_cast<double>(samples_);
}

std::int64_t LengthCounts::quantile(double share) const {
  const double wanted = share * static_cast<double>(samples_);
  std::int64_t below = 0;
  for (const auto& [length, count] : counts_) {
    below += count;
    if (static_cast<double>(below) >= wanted) return length;
  }
  return longest();
}

double LengthCounts::median() const {
  // The samples number (n - 1) / 2 and n / 2 from 0.
  std::int64_t below = 0, lower = -1;
  for (const auto& [length, count] : counts_) {
    below += count;
    if (lower < 0 && below > (samples_ - 1) / 2) lower = length;
    if (below > samples_ / 2) return static_cast<double>(lower + length) / 2;
  }
  return 0;
}

std::int64_t LengthCounts::empty() const {
  const auto found = counts_.find(0);
  return found == counts_.end() ? 0 : found->second;
}

std::vector<LengthCounts::Bin> LengthCounts::histogram(std::size_t bins) const {
  if (samples_ == 0) return {};
  const std::int64_t top = quantile(0.99);
  const std::int64_t width = round_width(static_cast<double>(top + 1) / static_cast<double>(bins));
  std::vector<Bin> all(static_cast<std::size_t>(top / width) + 1);
  for (std::size_t b = 0; b < all.size(); ++b) {
    all[b].min = static_cast<std::int64_t>(b) * width;
    all[b].max = all[b].min + width - 1;
  }
  if (longest() > all.back().max) all.push_back({all.back().max + 1, longest(), 0});
  for (const auto& [length, count] : counts_) {
    all[std::min(static_cast<std::size_t>(length / width), all.size() - 1)].samples += count;
  }
  return all;
}

DataSummary::DataSummary(std::vector<std::string> names) : is_named_(!names.empty()) {
  for (std::string& name : names) columns_.push_back({std::move(name), {}, {}, false});
  while (text_ < columns_.size() && columns_[text_].name == "label") ++text_;
  if (is_named_ && text_ == columns_.size()) throw UsageError("columns: no text beside the labels");
}

void DataSummary::add(std::string_view line) {
  const auto found = static_cast<std::size_t>(1 + std::count(line.begin(), line.end(), '\t'));
  if (columns_.empty()) {
    if (found > kMaxColumns) {
      throw Error(" " + std::to_string(found) + " columns, at most " + std::to_string(kMaxColumns) +
                  " are known (cut -f picks columns)");
    }
    for (std::size_t c = 1; c <= found; ++c)
      columns_.push_back({"column " + std::to_string(c), {}, {}, false});
  }
  if (found != columns_.size()) {
    std::string names;
    for (const Column& column : columns_) names += (names.empty() ? "" : ", ") + column.name;
    throw Error(" " + std::to_string(found) + (found == 1 ? " column" : " columns") + " where " +
                std::to_string(columns_.size()) + (columns_.size() == 1 ? " is" : " are") +
                " wanted: " + names + " (separate columns by one TAB; --columns names them)");
  }
  ++lines_;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::size_t end = std::min(line.find('\t'), line.size());
    const std::string_view field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    Column& column = columns_[c];
    const bool is_said_label = is_named_ && column.name == "label";
    if (is_said_label && field.empty())
      throw Error(" an empty label in column " + std::to_string(c + 1) + " (give every line its label)");
    if (!is_said_label) {
      std::int64_t words = 0;
      for_each_word(field, [&](std::string_view) { ++words; });
      column.lengths.add(words);
    }
    if (column.has_too_many || (is_named_ ? !is_said_label : c == 0)) continue;
    if (const auto value = column.values.find(field); value != column.values.end()) {
      ++value->second;
    } else if (column.values.size() < kMaxClasses && field.size() <= kMaxLabelBytes) {
      column.values.emplace(field, 1);
    } else if (is_said_label) {
      throw Error(field.size() > kMaxLabelBytes
                      ? " a label of " + std::to_string(field.size()) + " bytes (is this the right column?)"
                      : " more than " + std::to_string(kMaxClasses) + " labels (is this the right column?)");
    } else {
      column.has_too_many = true;
      column.values.clear();
    }
  }
}

bool DataSummary::is_label(std::size_t c) const {
  const Column& column = columns_[c];
  if (is_named_) return column.name == "label";
  const auto classes = static_cast<std::int64_t>(column.values.size());
  return c > 0 && !column.has_too_many && classes <= kMaxGuessedClasses && 2 * classes <= lines_;
}

void DataSummary::check_any() const {
  if (lines_ == 0) throw Error("no lines (a data set has one sample a line)");
}

double DataSummary::ratio() const {
  const LengthCounts& lengths = columns_[text_].lengths;
  return lengths.words() == 0 ? 0 : static_cast<double>(lengths.samples()) / lengths.mean();
}

std::string DataSummary::verdict() const {
  return "samples / mean words a sample = " + format_fixed(ratio(), 1) +
         (ratio() > kSequenceRatio ? " > 1,500: prefer a sequence model"
                                   : " <= 1,500: a bag of words or n-grams should do as well");
}

std::string DataSummary::text() const {
  check_any();
  constexpr auto right = Table::Align::right;
  std::vector<std::size_t> texts, labels;
  for (std::size_t c = 0; c < columns_.size(); ++c) (is_label(c) ? labels : texts).push_back(c);

  std::vector<Table::Column> headings = {{"words a sample"}};
  for (const std::size_t c : texts) headings.push_back({columns_[c].name, right});
  Table sizes(headings);
  const auto row = [&](const std::string& name, const auto& cell) {
    std::vector<std::string> cells = {name};
    for (const std::size_t c : texts) cells.push_back(cell(columns_[c].lengths));
    sizes.add_row(std::move(cells));
  };
  row("samples", [](const LengthCounts& l) { return format_count(l.samples()); });
  row("empty", [](const LengthCounts& l) { return format_count(l.empty()); });
  row("words in all", [](const LengthCounts& l) { return format_count(l.words()); });
  row("mean", [](const LengthCounts& l) { return format_fixed(l.mean(), 1); });
  row("median", [](const LengthCounts& l) { return format_fixed(l.median(), 1); });
  for (const int share : {90, 99}) {
    row(std::to_string(share) + " % have at most",
        [&](const LengthCounts& l) { return format_count(l.quantile(share / 100.0)); });
  }
  row("longest", [](const LengthCounts& l) { return format_count(l.longest()); });
  std::string text = sizes.text();

  for (const std::size_t c : labels) {
    Table classes({{columns_[c].name}, {"samples", right}, {"share", right}});
    for (const auto& [label, count] : columns_[c].values) {
      const std::string shown = quote(label);  // escaped; without its quotes
      classes.add_row({shown.substr(1, shown.size() - 2), format_count(count), percent(count, lines_)});
    }
    classes.add_rule();
    classes.add_row({std::to_string(columns_[c].values.size()) + " classes", format_count(lines_), ""});
    text += "\n" + classes.text();
  }
  for (const std::size_t c : texts) {
    const std::vector<LengthCounts::Bin> bins = columns_[c].lengths.histogram(kBins);
    std::int64_t most = 1;
    for (const LengthCounts::Bin& bin : bins) most = std::max(most, bin.samples);
    Table histogram({{"words of " + columns_[c].name, right}, {"samples", right}, {""}});
    for (const LengthCounts::Bin& bin : bins) {
      const double share = static_cast<double>(bin.samples) / static_cast<double>(most);
      const std::string range =
          bin.min == bin.max ? format_count(bin.min) : format_count(bin.min) + " - " + format_count(bin.max);
      histogram.add_row({range, format_count(bin.samples),
                         std::string(static_cast<std::size_t>(std::ceil(share * kBarColumns)), '#')});
    }
    text += "\n" + histogram.text();
  }
  return text + "\n" + verdict() + "\n";
}

std::vector<Json> DataSummary::json() const {
  check_any();
  std::vector<Json> all;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    Json& json = all.emplace_back();
    json.set("version", 1).set("column", column.name).set("kind", is_label(c) ? "label" : "text");
    json.set("samples", lines_);
    if (is_label(c)) {
      Json::Array classes;
      for (const auto& [label, count] : column.values) {
        Json entry;
        entry.set("label", label).set("samples", count);
        classes.push_back(std::move(entry));
      }
      json.set("classes", std::move(classes));
      continue;
    }
    const LengthCounts& lengths = column.lengths;
    json.set("empty", lengths.empty()).set("words", lengths.words()).set("mean_words", lengths.mean());
    json.set("median_words", lengths.median()).set("max_words", lengths.longest());
    Json::Array bins;
    for (const LengthCounts::Bin& bin : lengths.histogram(kBins)) {
      Json entry;
      entry.set("min", bin.min).set("max", bin.max).set("samples", bin.samples);
      bins.push_back(std::move(entry));
    }
    json.set("histogram", std::move(bins));
  }
  Json& rule = all.emplace_back();
  rule.set("version", 1).set("ratio", ratio()).set("threshold", kSequenceRatio);
  rule.set("prefer", ratio() > kSequenceRatio ? "sequence model" : "bag of words");
  return all;
}

}  // namespace headwater
