#include "reports/data_summary.hpp"

#include <algorithm>
#include <cmath>

#include "data/labels.hpp"
#include "metrics/parallel_text.hpp"
#include "reports/table.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "text/unicode/standardize.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {
namespace {

constexpr std::size_t kMaxClasses = 10000, kMaxLabelBytes = 1000;
// What a column of labels is that nobody named.
constexpr std::int64_t kMaxGuessedClasses = 1000, kMaxGuessedWords = 5;
constexpr std::size_t kMaxGuessedBytes = 60;
constexpr std::size_t kMaxColumns = 64;
constexpr std::size_t kBins = 16, kBarColumns = 50;

using Values = std::map<std::string, std::int64_t, std::less<>>;

// How often each label occurs, whatever white space is around it.
Values trimmed_labels(const Values& values) {
  Values labels;
  for (const auto& [value, count] : values) labels[std::string(trimmed(value))] += count;
  return labels;
}

// The command that reads this CSV; it names the separator where that is not the comma.
std::string csv_cure_of(const std::string& separator_option) {
  return "vectorize --csv " + separator_option + (separator_option.empty() ? "" : " ") + "--column NAME ...";
}

// "http://www", "foo_bar", "it's": ASCII punctuation between two characters that are none.
bool has_punctuation_inside(std::string_view word) {
  const auto is_mark = [](char c) { return is_ascii_punctuation(static_cast<unsigned char>(c)); };
  const auto* const first = std::find_if_not(word.begin(), word.end(), is_mark);
  const auto* const mark = std::find_if(first, word.end(), is_mark);
  return std::find_if_not(mark, word.end(), is_mark) != word.end();
}

std::string percent(std::int64_t part, std::int64_t all) {
  return format_fixed(100 * static_cast<double>(part) / static_cast<double>(all), 1) + " %";
}

}  // namespace

DataSummary::DataSummary(std::vector<std::string> names) : is_named_(!names.empty()) {
  for (std::string& name : names) columns_.push_back({.name = std::move(name), .lengths = {}});
  if (is_named_ && text_column() == columns_.size()) throw UsageError("columns: no text beside the labels");
}

void DataSummary::add(std::string_view line) {
  const std::size_t found = 1 + std::count(line.begin(), line.end(), '\t');
  if (columns_.empty()) {
    if (found > kMaxColumns) {
      throw Error(" " + std::to_string(found) + " columns, at most " + std::to_string(kMaxColumns) +
                  " are known (cut -f picks columns)");
    }
    for (std::size_t c = 1; c <= found; ++c)
      columns_.push_back({.name = "column " + std::to_string(c), .lengths = {}});
  }
  if (found == 1 || columns_.size() > 1) guess_.add(line);  // one TAB more says nothing against CSV
  if (found != columns_.size()) {
    const std::string names = joined(columns_, ", ", &Column::name);
    // Texts of CSV may have TABs, too.
    const std::optional<std::string> separator = found == 1        ? guess_.separator_option(columns_.size())
                                                 : guess_.is_csv() ? std::optional(guess_.separator_option())
                                                                   : std::nullopt;
    const std::string cure = separator ? "of CSV make such lines first: " + csv_cure_of(*separator)
                             : found > columns_.size()
                                 ? "turn TABs inside a text into spaces, or name every column with --columns"
                                 : "separate columns by one TAB; --columns names them";
    throw Error(" " + counted(static_cast<std::int64_t>(found), "column") + " where " +
                std::to_string(columns_.size()) + (columns_.size() == 1 ? " is" : " are") +
                " wanted: " + names + " (" + cure + ")");
  }
  ++lines_;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::size_t end = std::min(line.find('\t'), line.size());
    const std::string_view field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    if (lines_ == 1) first_.emplace_back(field.substr(0, kMaxLabelBytes));
    Column& column = columns_[c];
    const bool is_said_label = is_named_ && column.name == "label";
    if (is_said_label && trimmed(field).empty())
      throw Error(" an empty label in column " + std::to_string(c + 1) + " (give every line its label)");
    if (!is_said_label) {
      std::int64_t words = 0;
      for_each_word(field, [&](std::string_view word) {
        ++words;
        add_word(column, word);
      });
      column.lengths.add(words);
      column.repeated += column.hashes.insert(hash64(field)).second || field.empty() ? 0 : 1;
    }
    if (is_named_ ? is_said_label : columns_.size() > 1) count_label(c, field);
  }
}

void DataSummary::count_tokens_of(const Tokenizer& tokenizer, std::string_view column,
                                  std::int64_t model_tokens) {
  tokenizer_ = &tokenizer;
  for (Column& named : columns_) {
    if (named.name != column) continue;
    named.tokenizer = &tokenizer;
    named.model_tokens = model_tokens;
  }
}

void DataSummary::add_tokens(std::string_view line) {
  for (Column& column : columns_) {
    const std::size_t end = std::min(line.find('\t'), line.size());
    const std::string_view field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    if (is_named_ && column.name == "label") continue;
    const Tokenizer& tokenizer = column.tokenizer != nullptr ? *column.tokenizer : *tokenizer_;
    const std::vector<std::int32_t> ids = tokenizer.encode(field);
    column.tokens.add(static_cast<std::int64_t>(ids.size()));
    column.token_counts.add(ids, tokenizer.special_ids());
  }
}

void DataSummary::add_word(Column& column, std::string_view word) const {
  constexpr std::size_t kMostBytes = 40;  // to be shown
  if (!has_punctuation_inside(word)) return;
  ++column.compound_words;
  if (column.compound_word.empty() && word.size() <= kMostBytes) column.compound_word = word;
}

void DataSummary::count_label(std::size_t c, std::string_view field) {
  Column& column = columns_[c];
  if (column.has_too_many) return;
  if (const auto value = column.values.find(field); value != column.values.end()) {
    ++value->second;
  } else if (column.values.size() < kMaxClasses && field.size() <= kMaxLabelBytes) {
    column.values.emplace(field, 1);
  } else if (is_named_) {
    throw Error(field.size() > kMaxLabelBytes
                    ? " a label of " + std::to_string(field.size()) + " bytes (is this the right column?)"
                    : " more than " + std::to_string(kMaxClasses) + " labels (is this the right column?)");
  } else {
    column.has_too_many = true;
    column.values.clear();
  }
}

// Few short values that repeat often. Of short files a translation repeats as often as a label does, but
// it is about as long as its source.
bool DataSummary::repeats(std::size_t c) const {
  constexpr std::int64_t kOften = 10, kAtLeast = 2, kShorter = 2;  // times
  const Column& column = columns_[c];
  const auto classes = static_cast<std::int64_t>(column.values.size());
  if (columns_.size() < 2 || column.has_too_many || classes > kMaxGuessedClasses ||
      column.lengths.longest() > kMaxGuessedWords || kAtLeast * classes > lines_)
    return false;
  const bool is_short = std::all_of(column.values.begin(), column.values.end(),
                                    [](const auto& value) { return value.first.size() <= kMaxGuessedBytes; });
  if (!is_short || kOften * classes <= lines_) return is_short;
  return std::any_of(columns_.begin(), columns_.end(), [&](const Column& other) {
    return other.lengths.words() >= kShorter * column.lengths.words();
  });
}

std::size_t DataSummary::text_column() const {
  std::size_t longest = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (is_named_ ? columns_[c].name != "label" : !repeats(c)) return c;
    if (columns_[c].lengths.mean() > columns_[longest].lengths.mean()) longest = c;
  }
  return is_named_ ? columns_.size() : longest;
}

bool DataSummary::is_label(std::size_t c) const {
  return is_named_ ? columns_[c].name == "label" : repeats(c) && c != text_column();
}

// All fields are names that columns have; or the first label occurs once, all others more often.
bool DataSummary::has_header() const {
  if (std::all_of(first_.begin(), first_.end(), is_name_of_column)) return lines_ > 1;
  constexpr std::int64_t kFewLines = 10;
  if (lines_ < kFewLines) return false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!is_label(c)) continue;
    const Values labels = trimmed_labels(columns_[c].values);
    const std::string_view first = trimmed(first_[c]);
    const bool is_alone =
        labels.size() > 2 && std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
          return (label.second == 1) == (label.first == first);
        });
    if (is_alone) return true;
  }
  return false;
}

std::vector<std::string> DataSummary::warnings() const {
  if (guess_.is_csv())
    return {"this " + guess_.text() +
            "; make lines of columns of it: " + csv_cure_of(guess_.separator_option())};
  std::vector<std::string> all;
  if (has_header())
    all.push_back("line 1 looks like a header (" + quoted_list(first_) + "); drop it: tail -n +2");
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    constexpr std::int64_t kMany = 20, kLeast = 10;  // one word of so many, and so many words
    const Column& column = columns_[c];
    if (!is_label(c) && column.compound_words >= kLeast &&
        column.compound_words * kMany > column.lengths.words())
      all.push_back(column.name + ": " + format_percent(column.compound_words, column.lengths.words()) +
                    " of the words have punctuation inside" +
                    (column.compound_word.empty() ? "" : ", as " + quote(column.compound_word)) +
                    "; by default a tokenizer of words takes it out and glues their parts together "
                    "(standardize: lower, split_punctuation: true keeps them apart)");
    constexpr std::int64_t kNoticeable = 100;  // one text of so many
    if (!is_label(c) && columns_.size() > 1 && column.repeated * kNoticeable > lines_ && c == text_column())
      all.push_back(column.name + ": " + format_percent(column.repeated, lines_) +
                    " of the texts repeat that of an earlier line; of a text that stands twice "
                    "validation_fraction may learn one and hold out the other (data.split_by: source keeps "
                    "them together, and so does vectorize --split)");
    if (!is_label(c)) continue;
    std::vector<std::string> spaced, names;
    for (const auto& [value, count] : columns_[c].values) {
      if (trimmed(value) != value) spaced.push_back(value);
    }
    if (!spaced.empty())
      all.push_back(columns_[c].name + ": white space around labels is dropped: " + quoted_list(spaced));
    for (const auto& [label, count] : trimmed_labels(columns_[c].values)) names.push_back(label);
    for (const std::string& sentence : near_duplicates(names))
      all.push_back(columns_[c].name + ": " + sentence);
  }
  return all;
}

void DataSummary::check_any() const {
  if (lines_ == 0) throw Error("no lines (a data set has one sample a line)");
}

double DataSummary::ratio() const {
  const LengthCounts& lengths = columns_[text_column()].lengths;
  return lengths.words() == 0 ? 0 : static_cast<double>(lengths.samples()) / lengths.mean();
}

// The rule is of classifiers; two texts a line are a translator's.
bool DataSummary::has_verdict() const {
  if (guess_.is_csv()) return false;
  bool has_label = false, has_target = false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    has_label = has_label || is_label(c);
    has_target = has_target || columns_[c].name == "target";
  }
  return !has_target && has_label;
}

std::string DataSummary::verdict() const {
  return "samples / mean words a sample = " + format_fixed(ratio(), 1) +
         (ratio() > kSequenceRatio ? " > 1,500: prefer a sequence model"
                                   : " <= 1,500: begin with kind: linear, and measure others against it");
}

std::string DataSummary::room(const Column& column) const {
  if (column.model_tokens == 0) return {};
  const std::int64_t most = column.tokens.quantile(0.99);
  std::string text = column.name + ": the model reads " + counted(column.model_tokens, "token") +
                     " of a text; " + format_percent(column.tokens.above(column.model_tokens), lines_) +
                     " of the texts have more";
  if (most > column.model_tokens)
    text += " (raise model.length by " + format_count(most - column.model_tokens) + " to hold 99 % of them)";
  return text + "\n";
}

std::string DataSummary::text() const {
  check_any();
  constexpr auto right = Table::Align::right;
  std::vector<std::size_t> texts, labels;
  for (std::size_t c = 0; c < columns_.size(); ++c) (is_label(c) ? labels : texts).push_back(c);

  const auto sizes = [&](const std::string& unit, LengthCounts Column::*lengths) {
    std::vector<Table::Column> headings = {{unit + " a sample"}};
    for (const std::size_t c : texts) headings.push_back({columns_[c].name, right});
    Table table(headings);
    const auto row = [&](const std::string& name, const auto& cell) {
      std::vector<std::string> cells = {name};
      for (const std::size_t c : texts) cells.push_back(cell(columns_[c].*lengths));
      table.add_row(std::move(cells));
    };
    row("samples", [](const LengthCounts& l) { return format_count(l.samples()); });
    row("empty", [](const LengthCounts& l) { return format_count(l.empty()); });
    if (lengths == &Column::lengths) {
      std::vector<std::string> repeated = {"repeated"};
      for (const std::size_t c : texts) repeated.push_back(format_count(columns_[c].repeated));
      table.add_row(std::move(repeated));
    }
    row(unit + " in all", [](const LengthCounts& l) { return format_count(l.words()); });
    if (lengths == &Column::lengths) {
      std::vector<std::string> compound = {"with punctuation inside"};
      for (const std::size_t c : texts)
        compound.push_back(format_percent(columns_[c].compound_words, columns_[c].lengths.words()));
      table.add_row(std::move(compound));
    }
    row("mean", [](const LengthCounts& l) { return format_fixed(l.mean(), 1); });
    row("median", [](const LengthCounts& l) { return format_fixed(l.median(), 1); });
    for (const int share : {90, 99}) {
      row(std::to_string(share) + " % have at most",
          [&](const LengthCounts& l) { return format_count(l.quantile(share / 100.0)); });
    }
    row("longest", [](const LengthCounts& l) { return format_count(l.longest()); });
    return table;
  };
  std::string text = sizes("words", &Column::lengths).text();
  if (tokenizer_ == nullptr) {
    text += "model.length counts tokens, not words: --recipe FILE or --tokenizer FILE counts them\n";
  } else {
    Table tokens = sizes("tokens", &Column::tokens);
    std::vector<std::string> unknown = {"unknown"};
    for (const std::size_t c : texts)
      unknown.push_back(format_percent(columns_[c].token_counts.unknown, columns_[c].token_counts.tokens));
    tokens.add_row(std::move(unknown));
    text += "\n" + tokens.text();
    for (const std::size_t c : texts) text += room(columns_[c]);
  }

  for (const std::size_t c : labels) {
    Table classes({{columns_[c].name}, {"samples", right}, {"share", right}});
    const Values counts = trimmed_labels(columns_[c].values);
    for (const auto& [label, count] : counts)
      classes.add_row({label, format_count(count), percent(count, lines_)});
    classes.add_rule();
    const auto size = static_cast<std::int64_t>(counts.size());
    classes.add_row({format_count(size) + (size == 1 ? " class" : " classes"), format_count(lines_), ""});
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
  if (has_verdict()) text += "\n" + verdict() + "\n";
  const std::vector<std::string> doubts = warnings();
  for (std::size_t i = 0; i < doubts.size(); ++i) text += (i == 0 ? "\n" : "") + doubts[i] + "\n";
  return text;
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
      for (const auto& [label, count] : trimmed_labels(column.values)) {
        Json entry;
        entry.set("label", label).set("samples", count);
        classes.push_back(std::move(entry));
      }
      json.set("classes", std::move(classes));
      continue;
    }
    const LengthCounts& lengths = column.lengths;
    json.set("empty", lengths.empty()).set("repeated", column.repeated).set("words", lengths.words());
    json.set("words_with_punctuation_inside", column.compound_words).set("mean_words", lengths.mean());
    json.set("median_words", lengths.median()).set("max_words", lengths.longest());
    if (tokenizer_ != nullptr) {
      const LengthCounts& tokens = column.tokens;
      json.set("tokens", tokens.words())
          .set("mean_tokens", tokens.mean())
          .set("median_tokens", tokens.median());
      json.set("max_tokens", tokens.longest()).set("unknown_tokens", column.token_counts.unknown);
      if (column.model_tokens > 0) {
        json.set("model_tokens", column.model_tokens);
        json.set("truncated", tokens.above(column.model_tokens));
      }
    }
    Json::Array bins;
    for (const LengthCounts::Bin& bin : lengths.histogram(kBins)) {
      Json entry;
      entry.set("min", bin.min).set("max", bin.max).set("samples", bin.samples);
      bins.push_back(std::move(entry));
    }
    json.set("histogram", std::move(bins));
  }
  if (has_verdict()) {
    Json& rule = all.emplace_back();
    rule.set("version", 1).set("ratio", ratio()).set("threshold", kSequenceRatio);
    rule.set("prefer", ratio() > kSequenceRatio ? "sequence model" : "linear");
  }
  for (const std::string& warning : warnings()) all.emplace_back().set("version", 1).set("warning", warning);
  return all;
}

}  // namespace headwater
