#include "reports/printed_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "metrics/registry.hpp"
#include "reports/run_report.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"

namespace headwater {
namespace {

constexpr std::string_view kValidated = "validation_";

// A column of log.csv by its name.
struct ColumnOfLog {
  std::string_view name;
  bool is_whole = false, is_validated = false;
  double most = std::numeric_limits<double>::max();
};

// Numbers have nine digits there.
bool agree(double logged, double value) {
  return std::abs(logged - value) <= 1e-8 * std::max(std::abs(logged), std::abs(value));
}

class CheckedLog {
 public:
  CheckedLog(std::string_view log, std::string_view where, const LogPromise& promise)
      : where_(where), promise_(promise), is_torn_(!log.empty() && log.back() != '\n') {
    log = log.substr(0, log.rfind('\n') + 1);  // npos + 1 is 0
    const std::vector<std::string_view> lines = split(log, '\n');
    read_header(lines.front());
    for (std::size_t n = 1; n + 1 < lines.size(); ++n) read_row(lines[n]);
  }

  bool check() {
    has_validation_ = std::ranges::any_of(rows_, [&](const auto& row) { return !std::isnan(row[loss_]); });
    for (std::size_t n = 0; n < rows_.size(); ++n) check_order(n);
    check_steps();
    if (promise_.checkpoint) check_checkpoint(*promise_.checkpoint);
    const bool goes_on = may_go_on();
    if (is_torn_ && !goes_on)
      fail_at(rows_.size(), "half a line after the end of the run, which has finished");
    return goes_on;
  }

 private:
  using Row = std::vector<double>;  // NaN: an empty field

  [[noreturn]] void fail_in(std::size_t line, const std::string& what) const {
    throw Error(std::string(where_) + ":" + std::to_string(line) + ": " + what +
                " (bring the file back from a copy, or train anew with --overwrite)");
  }
  // Row n stands in line n + 2.
  [[noreturn]] void fail_at(std::size_t row, const std::string& what) const { fail_in(row + 2, what); }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(std::string(where_) + ": " + what +
                " (bring the file back from a copy, or train anew with --overwrite)");
  }

  std::size_t place_of(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(columns_, name, &ColumnOfLog::name) - columns_.begin());
  }
  bool has(std::string_view name) const { return place_of(name) < columns_.size(); }

  // Whether a run writes such a column: each of several losses has one of training and one of validation.
  bool is_known(std::string_view name) const {
    constexpr std::array<std::string_view, 17> kAlways{"step",
                                                       "epoch",
                                                       "tokens",
                                                       "loss",
                                                       "accuracy",
                                                       "learning_rate",
                                                       "gradient_norm",
                                                       "validation_loss",
                                                       "validation_accuracy",
                                                       "reference_loss",
                                                       "reference_accuracy",
                                                       "training_reference_loss",
                                                       "training_padded_loss",
                                                       "training_padded_accuracy",
                                                       "predicted",
                                                       "seconds",
                                                       "tokens_per_second"};
    if (std::ranges::find(kAlways, name) != kAlways.end() || name == "waiting_share") return true;
    const bool is_metric =
        std::ranges::any_of(all_metrics(), [&](const Metric* metric) { return metric->column == name; });
    if (is_metric) return true;
    if (!name.ends_with("_loss") && !name.ends_with("_accuracy")) return false;
    return name.starts_with(kValidated) ? has(name.substr(kValidated.size()))
                                        : has(std::string(kValidated) + std::string(name));
  }

  void read_header(std::string_view header) {
    for (const std::string_view name : split(header, ',')) {
      ColumnOfLog& column = columns_.emplace_back();
      column.name = name;
      column.is_whole = name == "step" || name == "epoch" || name == "tokens" || name == "predicted";
      column.is_validated = name.starts_with(kValidated) || name.starts_with("reference_");
      if (name.ends_with("accuracy") || name.ends_with("_f1") || name.ends_with("_auc") ||
          name == "waiting_share")
        column.most = 1;
      if (name.ends_with("_bleu") || name.ends_with("_chrf")) column.most = 100;
    }
    for (const std::string_view needed : {"validation_loss", "epoch", "loss", "validation_accuracy"}) {
      if (!has(needed))
        throw Error(std::string(where_) + ":1: no column " + quote(needed) +
                    " (name the log.csv of a run, or its folder)");
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string_view name = columns_[c].name;
      if (place_of(name) != c) fail_in(1, "two columns " + quote(name));
      if (!is_known(name)) fail_in(1, "unknown column " + quote(name));
    }
    loss_ = place_of("validation_loss");
    epoch_ = place_of("epoch");
    step_ = place_of("step");
  }

  void read_row(std::string_view line) {
    const std::vector<std::string_view> fields = split(line, ',');
    const std::size_t n = rows_.size();
    if (fields.size() != columns_.size())
      fail_at(n, counted(std::ssize(fields), "field") + " where the first line has " +
                     std::to_string(columns_.size()));
    Row& row = rows_.emplace_back();
    for (std::size_t c = 0; c < fields.size(); ++c) row.push_back(number_in(fields[c], columns_[c], n));
    const bool is_end = !std::isnan(row[loss_]);
    for (std::size_t c = 0; c < row.size(); ++c) check_presence(n, c, is_end);
  }

  double number_in(std::string_view field, const ColumnOfLog& column, std::size_t n) const {
    if (field.empty()) return std::numeric_limits<double>::quiet_NaN();
    const std::string in_column = " in column " + quote(column.name);
    double value = 0;
    if (!parse_number(field, value) || !std::isfinite(value))
      fail_at(n, quote(field) + in_column + " is not a number");
    if (column.is_whole && !(value == std::floor(value) && value >= 0 && value < 9e15))
      fail_at(n, quote(field) + in_column + " is not a whole number");
    if (!(value >= 0 && value <= column.most))
      fail_at(n, quote(field) + in_column + " is not " +
                     (column.most > 100 ? "0 or more" : "in 0 .. " + format_number(column.most)));
    return value;
  }

  void check_presence(std::size_t n, std::size_t c, bool is_end) const {
    const ColumnOfLog& column = columns_[c];
    const bool is_empty = std::isnan(rows_[n][c]);
    if (column.is_validated && !is_end && !is_empty)
      fail_at(n, "a value in column " + quote(column.name) + ", and none in column \"validation_loss\"");
    if (!is_empty || (column.is_validated && !is_end)) return;
    // Older versions had fewer columns: none has a value and is empty in a later row.
    const auto has_it = [&](const Row& row) { return !std::isnan(row[c]); };
    const bool is_first = std::none_of(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(n), has_it);
    const bool is_needed =
        c == epoch_ || c == step_ || column.name == "loss" || column.name == "validation_accuracy";
    if (!is_first || is_needed) fail_at(n, "nothing in column " + quote(column.name));
  }

  void check_order(std::size_t n) const {
    const Row& row = rows_[n];
    const auto whole = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
    const double before = n == 0 ? 0 : rows_[n - 1][epoch_];
    const bool begins = n == 0 || row[epoch_] != before;
    if (begins && row[epoch_] != before + 1)
      fail_at(n, "epoch " + whole(row[epoch_]) + " where " + whole(before + 1) + " is next");
    if (n == 0) {
      if (step_ < row.size() && row[step_] < 1) fail_at(n, "step 0");
      return;
    }
    const Row& last = rows_[n - 1];
    const bool has_ended = !std::isnan(last[loss_]);
    if (has_validation_ && begins && !has_ended)
      fail_at(n, "epoch " + whole(row[epoch_]) + " begins, and no row has the validation of epoch " +
                     whole(before));
    if (has_validation_ && !begins && has_ended)
      fail_at(n, "a row of epoch " + whole(before) + " after the one that ends it");
    if (step_ < row.size() && !(row[step_] > last[step_]))
      fail_at(n, "step " + whole(row[step_]) + " after step " + whole(last[step_]));
    for (const std::string_view name : {"tokens", "predicted"}) {
      const std::size_t c = place_of(name);
      if (!begins && c < row.size() && row[c] < last[c])
        fail_at(n,
                quote(name) + " falls from " + whole(last[c]) + " to " + whole(row[c]) + " within an epoch");
    }
  }

  bool ends_epoch(std::size_t n) const {
    if (has_validation_) return !std::isnan(rows_[n][loss_]);
    return n + 1 == rows_.size() || rows_[n + 1][epoch_] != rows_[n][epoch_];
  }

  // Each epoch has as many steps as the first, but for one that the end of the run cuts; and there is a row
  // every log_every steps.
  void check_steps() const {
    if (step_ >= columns_.size()) return;
    const auto every = static_cast<double>(promise_.log_every);
    double missing = every, of_an_epoch = 0;
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      const double step = rows_[n][step_];
      if (every > 0 && step > missing) fail_at(n, "no row of step " + format_number(missing) + " before it");
      if (step == missing) missing += every;
      if (!ends_epoch(n) || (!has_validation_ && n + 1 == rows_.size())) continue;
      if (of_an_epoch == 0) of_an_epoch = step;
      const double end = of_an_epoch * rows_[n][epoch_];
      if (step > end || (step < end && n + 1 < rows_.size()))
        fail_at(n, "epoch " + format_number(rows_[n][epoch_]) + " ends with step " + format_number(step) +
                       " where the ones before end with step " + format_number(end));
    }
  }

  // The row of a step; the number of rows where there is none.
  std::size_t row_of(std::int64_t step) const {
    return static_cast<std::size_t>(
        std::ranges::find_if(rows_, [&](const Row& row) { return row[step_] == static_cast<double>(step); }) -
        rows_.begin());
  }

  void check_checkpoint(const LogPromise::Checkpoint& saved) const {
    if (step_ >= columns_.size()) return;
    const std::string is_there = ", but the checkpoint of step " + std::to_string(saved.step) + " is there";
    std::size_t ended = 0, last = rows_.size();
    for (std::size_t n = 0; n < rows_.size() && rows_[n][step_] <= static_cast<double>(saved.step); ++n) {
      if (has_validation_ ? ends_epoch(n) : rows_[n][epoch_] <= static_cast<double>(saved.epoch)) last = n;
      if (ends_epoch(n)) ++ended;
    }
    const std::int64_t every = promise_.log_every, logged = every > 0 ? saved.step / every * every : 0;
    if (logged > 0 && row_of(logged) == rows_.size())
      fail("no row of step " + std::to_string(logged) + is_there);
    if (static_cast<std::int64_t>(ended) < saved.epoch)
      fail("no row of the end of epoch " + std::to_string(ended + 1) + is_there);
    if (saved.ends_epoch && row_of(saved.step) == rows_.size())
      fail("no row of step " + std::to_string(saved.step) + is_there);
    if (saved.epoch > 0 && saved.last_loss && last < rows_.size()) {
      const double loss = rows_[last][place_of("loss")];
      if (!agree(loss, *saved.last_loss))
        fail_at(last, "the loss is " + format_number(loss) + ", the checkpoint of step " +
                          std::to_string(saved.step) + " has " + format_number(*saved.last_loss));
    }
    if (saved.best_step > 0) check_best(saved, is_there);
  }

  void check_best(const LogPromise::Checkpoint& saved, const std::string& is_there) const {
    const auto [name, best] = ordering_column(promise_.best_metric);
    if (!has(name)) return;  // its absence is said by who reads it
    const std::size_t row = row_of(saved.best_step), c = place_of(name);
    if (row == rows_.size() || !ends_epoch(row))
      fail("no row of step " + std::to_string(saved.best_step) + ", the best" + is_there);
    const double sign = best == Metric::Best::lowest ? 1 : -1;
    if (!agree(sign * rows_[row][c], saved.best_value))
      fail_at(row, std::string(name) + " is " + format_number(rows_[row][c]) + ", the checkpoint of step " +
                       std::to_string(saved.step) + " has " + format_number(sign * saved.best_value));
    for (std::size_t n = 0; n < rows_.size() && rows_[n][step_] <= static_cast<double>(saved.step); ++n) {
      const double value = sign * rows_[n][c];
      if (ends_epoch(n) && value < saved.best_value && !agree(value, saved.best_value))
        fail_at(n, std::string(name) + " " + format_number(rows_[n][c]) + " is better than " +
                       format_number(sign * saved.best_value) + " of step " +
                       std::to_string(saved.best_step) + ", which the checkpoint of step " +
                       std::to_string(saved.step) + " calls the best");
    }
  }

  bool may_go_on() const {
    if (promise_.checkpoint) {
      const bool is_beyond = !rows_.empty() && step_ < columns_.size() &&
                             rows_.back()[step_] > static_cast<double>(promise_.checkpoint->step);
      return !promise_.checkpoint->is_finished || is_beyond;
    }
    const bool has_all = promise_.epochs > 0 && !rows_.empty() && ends_epoch(rows_.size() - 1) &&
                         has_validation_ && rows_.back()[epoch_] >= static_cast<double>(promise_.epochs);
    return !has_all;
  }

  std::string_view where_;
  const LogPromise& promise_;
  bool is_torn_, has_validation_ = false;
  std::vector<ColumnOfLog> columns_;
  std::vector<Row> rows_;
  std::size_t loss_ = 0, epoch_ = 0, step_ = 0;  // step_ may be none: the number of columns
};

}  // namespace

bool check_log(std::string_view log, std::string_view where, const LogPromise& promise) {
  return CheckedLog(log, where, promise).check();
}

}  // namespace headwater
