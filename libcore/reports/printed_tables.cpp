#include "reports/printed_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "reports/table.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"
#include "support/utf8.hpp"

namespace headwater {
namespace {

[[noreturn]] void fail_printed(std::string_view where, std::size_t line, const std::string& what) {
  throw Error(std::string(where) + ":" + std::to_string(line) + ": " + what +
              " (remove the file, and run the recipe again)");
}

// "1,234.50"; nothing for what is no number.
std::optional<double> number_of_cell(std::string_view cell) {
  std::string digits(cell);
  std::erase(digits, ',');
  double value = 0;
  return read_number(digits, value).empty() ? std::optional<double>(value) : std::nullopt;
}

bool is_share(std::string_view name) {
  constexpr std::array<std::string_view, 7> kShares{"precision", "recall",  "F1",           "roc_auc",
                                                    "ece",       "unknown", "waiting_share"};
  return std::ranges::find(kShares, name) != kShares.end() || name.ends_with("accuracy") ||
         name.ends_with("_f1") || name.ends_with("_auc");
}

// A figure as it is shown, and the line that it stands in.
struct PrintedFigure {
  std::string shown;
  std::size_t line = 0;
};

class PrintedTables {
 public:
  PrintedTables(std::string_view text, std::string_view where) : where_(where), lines_(split(text, '\n')) {
    check_bytes(text);
    lines_.pop_back();
    if (lines_.back().empty()) fail_line(lines_.size() - 1, "an empty line at the end");
    for (std::size_t begin = 0; begin < lines_.size();) {
      const std::size_t end =
          std::find(lines_.begin() + static_cast<std::ptrdiff_t>(begin), lines_.end(), "") - lines_.begin();
      check_block(begin, end);
      begin = end + 1;
    }
  }

  const std::map<std::string, PrintedFigure, std::less<>>& figures() const { return figures_; }

  void check_needed(const NeededTables& needed) const {
    for (const std::string& name : needed.figures) {
      if (!figures_.contains(name)) fail_end("no figure " + quote(name));
    }
    if (needed.has_classes && classes_ > 0) {
      if (!has_classes_) fail_end("no scores of classes");
      constexpr std::string_view kMean = "macro_f1";
      if (classes_ > 1 && !figures_.contains(kMean)) fail_end("no figure " + quote(kMean));
    }
    for (const Expectation& e : needed.expected) {
      if (figure_of_metric(e.metric) != nullptr && !expected_.contains(e.metric))
        fail_end("nothing about " + e.metric + ", which the recipe expects");
    }
  }
  [[noreturn]] void fail_end(const std::string& what) const { fail_printed(where_, lines_.size(), what); }

 private:
  [[noreturn]] void fail_line(std::size_t line, const std::string& what) const {  // counted from 0
    fail_printed(where_, line + 1, what);
  }

  void check_bytes(std::string_view text) const {
    const auto line_at = [&](std::size_t at) {
      return static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
    };
    if (text.empty()) fail_line(0, "is empty");
    if (const std::size_t at = find_invalid_utf8(text); at != text.npos)
      fail_line(line_at(at), "invalid UTF-8");
    const auto is_control = [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == '\x7f'; };
    if (const auto at = std::ranges::find_if(text, is_control); at != text.end())
      fail_line(line_at(static_cast<std::size_t>(at - text.begin())), "a control character");
    if (text.back() != '\n') fail_line(line_at(text.size()), "ends inside a line");
  }

  // Lines begin .. end, which an empty line or the end of the file follows.
  void check_block(std::size_t begin, std::size_t end) {
    std::string block;
    for (std::size_t n = begin; n < end; ++n) block.append(lines_[n]).append("\n");
    const std::vector<TextOrTable> parts = tables_in(block);
    if (parts.size() != 1 || !parts.front().table || parts.front().table->rows().empty())
      fail_line(begin, "no table as train and evaluate print them");
    const Table& table = *parts.front().table;
    std::vector<std::string> headings;
    for (const Table::Column& column : table.columns()) headings.push_back(column.heading);
    const bool is_first = begin == 0;
    if (is_first != (headings == std::vector<std::string>{"metric", "value", "details"}))
      fail_line(begin, is_first ? "no table of figures" : "a second table of figures");
    if (is_first) {
      read_figures(table, begin);
    } else if (headings == std::vector<std::string>{"metric", "expected", "reached", "state"}) {
      check_expectations(table, begin);
    } else {
      check_cells(table, begin);
    }
  }

  double number_in(const std::string& cell, const std::string& name, std::size_t line) const {
    const std::optional<double> value = number_of_cell(cell);
    if (!value) fail_line(line, quote(cell) + " for " + quote(name) + " is not a number");
    if (*value < 0 || (is_share(name) && *value > 1))
      fail_line(line, quote(cell) + " for " + quote(name) + " is not " +
                          (is_share(name) ? "in 0 .. 1" : "0 or more"));
    return *value;
  }

  void read_figures(const Table& table, std::size_t begin) {
    std::size_t line = begin + 2;
    for (const std::vector<std::string>& row : table.rows()) {
      if (row[0].empty() != row[1].empty() || (row[0].empty() && line == begin + 2))
        fail_line(line, "a name without its figure, or a figure without its name");
      if (!row[0].empty()) {
        if (row[1] != "nan") number_in(row[1], row[0], line);
        if (row[0] == "accuracy") classes_ = classes_in(row[2]);
        if (!figures_.emplace(row[0], PrintedFigure{row[1], line}).second)
          fail_line(line, quote(row[0]) + " stands twice");
      }
      ++line;
    }
  }

  // 2 for "over 60 samples of 2 classes"; 0 where no classes are named.
  static std::size_t classes_in(const std::string& details) {
    const std::vector<std::string_view> words = split(details, ' ');
    const bool has_them = words.size() > 5 && words[0] == "over" && words[5].starts_with("class");
    return has_them ? static_cast<std::size_t>(number_of_cell(words[4]).value_or(0)) : 0;
  }

  const PrintedFigure* figure_of_metric(std::string_view metric) const {
    constexpr std::string_view kTest = "test_";
    auto figure = figures_.find(metric);
    if (figure == figures_.end() && metric.starts_with(kTest))
      figure = figures_.find(metric.substr(kTest.size()));
    return figure == figures_.end() ? nullptr : &figure->second;
  }

  // What was reached is one of the figures, of test data without "test_" before its name.
  void check_expectations(const Table& table, std::size_t begin) {
    std::size_t line = begin + 2;
    std::set<std::vector<std::string>> seen;
    for (const std::vector<std::string>& row : table.rows()) {
      const std::size_t here = line++;
      if (row[3] != "ok" && row[3] != "missed")
        fail_line(here, quote(row[3]) + " is not \"ok\" or \"missed\"");
      if (!seen.insert(row).second) fail_line(here, "a line that stands twice");
      expected_.insert(row[0]);
      if (row[2] == "nan") continue;
      const double reached = number_in(row[2], row[0], here);
      const PrintedFigure* const figure = figure_of_metric(row[0]);
      if (figure == nullptr) continue;
      const std::size_t point = figure->shown.find('.');
      const auto digits =
          static_cast<double>(point == std::string::npos ? 0 : figure->shown.size() - point - 1);
      const double value = number_of_cell(figure->shown).value_or(NAN);
      if (!(std::abs(value - reached) <= 1.0001 * std::pow(10, -digits)))
        fail_line(here, quote(row[0]) + " is " + row[2] + ", and " + figure->shown + " in line " +
                            std::to_string(figure->line + 1));
    }
  }

  // Scores of classes, and how often each was taken for each.
  void check_cells(const Table& table, std::size_t begin) {
    const std::vector<Table::Column>& columns = table.columns();
    const bool is_of_classes = columns.front().heading == "class";
    const bool is_of_pairs = columns.size() > 1 && columns[1].heading == "most often predicted";
    const std::size_t first = is_of_pairs ? 2 : 1;
    std::size_t line = begin + 2;
    for (const std::vector<std::string>& row : table.rows()) {
      for (std::size_t c = first; c < row.size(); ++c)
        number_in(row[c], is_of_classes ? columns[c].heading : "a label", line);
      ++line;
    }
    has_classes_ = true;
    const std::size_t wanted = is_of_classes ? classes_ : columns.size() - 1;
    if (!is_of_pairs && wanted > 0 && table.rows().size() != wanted)
      fail_line(begin,
                std::to_string(table.rows().size()) + " rows of " + std::to_string(wanted) + " classes");
    for (std::size_t row = 0; !is_of_classes && !is_of_pairs && row < wanted; ++row) {
      if (table.rows()[row][0] != columns[row + 1].heading)
        fail_line(begin + 2 + row,
                  quote(table.rows()[row][0]) + " where " + quote(columns[row + 1].heading) + " is next");
    }
  }

  std::string_view where_;
  std::vector<std::string_view> lines_;
  std::map<std::string, PrintedFigure, std::less<>> figures_;
  std::set<std::string, std::less<>> expected_;  // metrics with a row
  std::size_t classes_ = 0;                      // 0: not said
  bool has_classes_ = false;                     // a table of them
};

}  // namespace

void check_printed_tables(std::string_view text, std::string_view where, const NeededTables& needed) {
  PrintedTables(text, where).check_needed(needed);
}

void check_printed_figures(std::string_view text, std::string_view where, std::span<const ScoreRow> rows) {
  const PrintedTables tables(text, where);
  for (const ScoreRow& row : rows) {
    const auto found = tables.figures().find(row.name);
    if (found == tables.figures().end()) {
      const bool is_of_some =
          row.name.find("reference_") != row.name.npos || row.name.find("padded_") != row.name.npos;
      if (!is_of_some) tables.fail_end("no figure " + quote(row.name));
    } else if (found->second.shown != row.value) {
      fail_printed(
          where, found->second.line + 1,
          row.name + " is " + found->second.shown + " here, and " + row.value + " by log.csv and the model");
    }
  }
}

}  // namespace headwater
