#include "reports/run_report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "reports/table.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"

namespace headwater {

namespace {

double number_of(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Digits of the metric that a column of validation has.
int digits_of_column(std::string_view column) {
  for (const Metric* metric : all_metrics()) {
    if (metric->column == column) return metric->digits;
  }
  return 4;
}

constexpr std::string_view kPaddedLoss = "training_padded_loss", kPaddedAccuracy = "training_padded_accuracy";

// Whether a column is one of several losses in training.
bool is_training_part(std::string_view column) {
  return column.ends_with("_loss") && !column.starts_with("validation_") &&
         !column.starts_with("training_") && column.find("reference_") == column.npos;
}

// A count with separators to read, and as it is for programs.
ScoreRow count_row(std::string_view metric, std::int64_t count, std::string_view detail = "") {
  ScoreRow row = score_row(metric, static_cast<double>(count), 0, detail);
  row.value = format_count(count);
  row.json.set("score", count);
  return row;
}

}  // namespace

std::pair<std::string, Metric::Best> ordering_column(const std::string& name) {
  if (const Metric* const metric = find_metric(name); metric != nullptr && metric->is_validated())
    return {std::string(metric->column), metric->best};
  return {"validation_" + name, Metric::Best::highest};
}

RunFigures read_run(const std::filesystem::path& directory, const std::string& best_metric) {
  return read_log(directory / "log.csv", best_metric);
}

RunFigures read_log(const std::filesystem::path& path, const std::string& best_metric) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 28;
  const std::string text = read_file(path, kMaxBytes);
  // What stands after the last line end is being written.
  const std::vector<std::string_view> lines =
      split(std::string_view(text).substr(0, text.rfind('\n') + 1), '\n');
  std::map<std::string_view, std::size_t> column;
  const std::vector<std::string_view> header = split(lines.front(), ',');
  for (std::size_t i = 0; i < header.size(); ++i) column[header[i]] = i;
  const auto column_of = [&](std::string_view name) {
    const auto found = column.find(name);
    if (found == column.end())
      throw Error(shown(path) + ":1: no column " + quote(name) +
                  " (name the log.csv of a run, or its folder)");
    return found->second;
  };
  const std::size_t validation_loss = column_of("validation_loss"), epoch_column = column_of("epoch");
  std::vector<std::vector<std::string_view>> rows;
  for (std::size_t n = 1; n + 1 < lines.size(); ++n) {
    rows.push_back(split(lines[n], ','));
    const std::string place = shown(path) + ":" + std::to_string(n + 1);
    if (rows.back().size() != header.size())
      throw Error(place + ": " + std::to_string(rows.back().size()) + " fields where the first line has " +
                  std::to_string(header.size()));
    const std::string_view epoch = rows.back()[epoch_column];
    double value = 0;
    if (!parse_number(epoch, value))
      throw Error(place + ": " + quote(epoch) + " in column \"epoch\" is not a number");
  }
  const bool has_validation = std::any_of(
      rows.begin(), rows.end(), [&](const auto& fields) { return !fields[validation_loss].empty(); });
  // Without validation the last row of an epoch is that of its end.
  const auto ends_epoch = [&](std::size_t n) {
    if (has_validation) return !rows[n][validation_loss].empty();
    return n + 1 == rows.size() || rows[n + 1][epoch_column] != rows[n][epoch_column];
  };
  RunFigures figures;
  const auto [ordering, best_value] = ordering_column(best_metric);
  const bool has_waiting = column.contains("waiting_share");
  const bool has_training_reference = column.contains("training_reference_loss");
  double best = 0, seconds = 0, tokens = 0, waited = 0;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    if (!ends_epoch(n)) continue;
    const std::vector<std::string_view>& fields = rows[n];
    const auto at = [&](std::string_view name) { return fields[column_of(name)]; };
    ++figures.epochs;
    // The seconds of a resumed epoch are of its last process only; its pace is of the same time.
    const double pace = number_of(at("tokens_per_second"));
    const double epoch_seconds = pace > 0 ? number_of(at("tokens")) / pace : number_of(at("seconds"));
    seconds += epoch_seconds;
    if (has_waiting) waited += epoch_seconds * number_of(at("waiting_share"));
    tokens += number_of(at("tokens"));
    figures.training_loss = number_of(at("loss"));
    if (column.contains("accuracy")) figures.training_accuracy = number_of(at("accuracy"));
    figures.training_reference_loss.reset();
    if (has_training_reference && !at("training_reference_loss").empty())
      figures.training_reference_loss = number_of(at("training_reference_loss"));
    figures.training_padded.clear();
    for (const std::string_view name : {kPaddedLoss, kPaddedAccuracy}) {
      if (column.contains(std::string(name)) && !at(name).empty())
        figures.training_padded.emplace_back(name, number_of(at(name)));
    }
    figures.training_losses.clear();
    for (const std::string_view name : header) {
      if (is_training_part(name))
        figures.training_losses.emplace_back("training_" + std::string(name), number_of(at(name)));
    }
    if (!has_validation) continue;
    const double ordered = number_of(at(ordering));
    const double value = best_value == Metric::Best::lowest ? ordered : -ordered;
    if (figures.epochs > 1 && value >= best) continue;
    best = value;
    figures.best_epoch = static_cast<std::int64_t>(number_of(at("epoch")));
    figures.seconds_to_best = seconds;
    figures.validation_loss = number_of(at("validation_loss"));
    figures.validation_accuracy = number_of(at("validation_accuracy"));
    if (column.contains("reference_loss")) {
      figures.reference_loss = number_of(at("reference_loss"));
      figures.reference_accuracy = number_of(at("reference_accuracy"));
    }
    figures.figures.clear();
    for (const std::string_view name : header) {
      if (!name.starts_with("validation_") || name == "validation_loss" || name == "validation_accuracy")
        continue;
      figures.figures.emplace_back(
          name, at(name).empty() ? std::nullopt : std::optional<double>(number_of(at(name))));
    }
  }
  if (figures.epochs > 0) {
    figures.seconds_an_epoch = seconds / static_cast<double>(figures.epochs);
    figures.tokens_per_second = seconds > 0 ? tokens / seconds : 0;
    if (has_waiting && seconds > 0) figures.waiting_share = waited / seconds;
  }
  return figures;
}

std::string judge(const Expectation& expectation, double reached) {
  if (expectation.compare == Comparison::at_least) return reached >= expectation.value ? "ok" : "missed";
  if (expectation.compare == Comparison::at_most) return reached <= expectation.value ? "ok" : "missed";
  return std::abs(reached - expectation.value) <= expectation.tolerance.value_or(0) ? "ok" : "missed";
}

bool expects_reference_measure(const Recipe& recipe) {
  return std::any_of(recipe.expected.begin(), recipe.expected.end(),
                     [](const Expectation& e) { return e.metric.find("reference_") != std::string::npos; });
}

std::vector<ScoreRow> run_rows(const Recipe& recipe, const RunFigures& run, std::int64_t parameters) {
  std::vector<ScoreRow> rows;
  if (run.epochs > 0) {
    const std::string where =
        "of the best epoch, " + std::to_string(run.best_epoch) + " of " + std::to_string(run.epochs);
    const auto add = [&](std::string_view metric, double value, const std::string& detail) {
      rows.push_back(score_row(metric, value, digits_of_column(metric), detail));
    };
    if (run.has_validation()) {
      add("validation_loss", run.validation_loss, where);
      add("validation_accuracy", run.validation_accuracy, where);
    }
    for (const auto& [name, value] : run.figures) {
      if (value) add(name, *value, where);
    }
    if (expects_reference_measure(recipe) && run.reference_loss && run.reference_accuracy) {
      add("reference_loss", *run.reference_loss, where + "; divided by all positions, padded ones too");
      add("reference_accuracy", *run.reference_accuracy,
          where + "; the pad after the end token counted as right");
    }
    for (ScoreRow& row : rows) row.json.set("epoch", run.best_epoch);
    add("training_loss", run.training_loss, "of the last epoch");
    if (run.training_accuracy) add("training_accuracy", *run.training_accuracy, "of the last epoch");
    for (const auto& [name, value] : run.training_losses) add(name, value, "of the last epoch");
    if (expects_reference_measure(recipe) && run.training_reference_loss) {
      add("training_reference_loss", *run.training_reference_loss,
          "of the last epoch; divided by all positions, padded ones too");
    }
    for (const auto& [name, value] : run.training_padded) {
      const auto is_it = [&](const Expectation& e) { return e.metric == name; };
      if (std::ranges::any_of(recipe.expected, is_it))
        add(name, value, "of the last epoch; over the positions of batches padded to their longest target");
    }
  }
  if (run.truncated > 0)
    rows.push_back(
        count_row("truncated_lines", run.truncated, "of the training data, cut to the model's length"));
  rows.push_back(count_row("parameters", parameters));
  if (run.epochs > 0) {
    rows.push_back(score_row("seconds_an_epoch", run.seconds_an_epoch, 1));
    ScoreRow speed = count_row("tokens_a_second", static_cast<std::int64_t>(run.tokens_per_second));
    speed.json.set("score", run.tokens_per_second);
    rows.push_back(std::move(speed));
    if (run.waiting_share)
      rows.push_back(score_row("waiting_share", *run.waiting_share, 4, "of the time, for batches"));
  }
  return rows;
}

Json JudgedExpectation::json() const {
  Json json;
  json.set("version", 1).set("metric", expectation.metric).set("expected", expectation.value);
  json.set("compare", name_of(expectation.compare));
  if (expectation.tolerance) json.set("tolerance", *expectation.tolerance);
  json.set("reached", std::isfinite(reached) ? Json(reached) : Json());
  json.set("state", state);
  return json;
}

std::vector<JudgedExpectation> judge_expectations(const Recipe& recipe,
                                                  std::span<const std::pair<std::string, double>> figures) {
  std::vector<JudgedExpectation> judged;
  for (const Expectation& expectation : recipe.expected) {
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [&](const auto& figure) { return figure.first == expectation.metric; });
    if (found != figures.end())
      judged.push_back({expectation, found->second, judge(expectation, found->second)});
  }
  return judged;
}

std::vector<JudgedExpectation> judge_expectations(const Recipe& recipe, const RunFigures& run,
                                                  std::int64_t parameters) {
  std::vector<std::pair<std::string, double>> figures{{"parameters", static_cast<double>(parameters)}};
  if (run.epochs > 0) {
    if (run.has_validation()) {
      figures.insert(figures.end(), {{"validation_loss", run.validation_loss},
                                     {"validation_accuracy", run.validation_accuracy},
                                     {"reference_loss", run.reference_loss.value_or(NAN)},
                                     {"reference_accuracy", run.reference_accuracy.value_or(NAN)},
                                     {"best_epoch", static_cast<double>(run.best_epoch)}});
    }
    figures.insert(figures.end(), {{"training_loss", run.training_loss},
                                   {"training_accuracy", run.training_accuracy.value_or(NAN)},
                                   {"seconds_an_epoch", run.seconds_an_epoch},
                                   {"tokens_a_second", run.tokens_per_second}});
    figures.insert(figures.end(), run.training_losses.begin(), run.training_losses.end());
    figures.insert(figures.end(), run.training_padded.begin(), run.training_padded.end());
    figures.emplace_back("waiting_share", run.waiting_share.value_or(NAN));
    figures.emplace_back("training_reference_loss", run.training_reference_loss.value_or(NAN));
    for (const auto& [name, value] : run.figures) figures.emplace_back(name, value.value_or(NAN));
  }
  return judge_expectations(recipe, figures);
}

std::string expectations_text(std::span<const JudgedExpectation> judged, bool is_json) {
  std::string lines;
  for (const JudgedExpectation& j : judged) lines += j.json().dump() + "\n";
  if (is_json || judged.empty()) return lines;
  Table table({{"metric"}, {"expected"}, {"reached", Table::Align::right}, {"state"}});
  for (const JudgedExpectation& j : judged) {
    const Expectation& e = j.expectation;
    std::string wanted = e.compare == Comparison::at_least  ? ">= "
                         : e.compare == Comparison::at_most ? "<= "
                                                            : "";
    wanted += format_number(e.value);
    if (e.compare == Comparison::near && e.tolerance) wanted += " +- " + format_number(*e.tolerance);
    table.add_row({e.metric, wanted, format_number(j.reached), j.state});
  }
  return "\n" + table.text();
}

}  // namespace headwater
