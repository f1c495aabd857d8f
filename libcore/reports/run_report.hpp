// What a run has reached, and which of its recipe's expectations were met: the rows that train ends with, and
// those about test data that evaluate adds to its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metrics/registry.hpp"
#include "recipe/recipe.hpp"
#include "reports/score_report.hpp"

namespace headwater {

// The best epoch of a run, read from its log.csv (the row whose validation is best by the recipe's metric)
// and times of all epochs.
struct RunFigures {
  std::int64_t best_epoch = 0;  // 0: nothing was validated
  std::int64_t epochs = 0;
  double validation_loss = 0, validation_accuracy = 0;
  std::optional<double> reference_loss, reference_accuracy;  // none of several losses
  // The other columns "validation_..." of log.csv, in their order: "validation_macro_f1".
  std::vector<std::pair<std::string, std::optional<double>>> figures;
  double training_loss = 0;                 // of the last epoch
  std::optional<double> training_accuracy;  // the same
  // The other columns "..._loss" of training, each of several losses: "training_next_sentence_loss".
  std::vector<std::pair<std::string, double>> training_losses;
  std::optional<double> training_reference_loss;  // the same over padded positions; none in older logs
  std::vector<std::pair<std::string, double>> training_padded;  // of translators: loss, accuracy
  double seconds_an_epoch = 0;                                  // mean
  double seconds_to_best = 0;                                   // of the epochs up to the best one
  double tokens_per_second = 0;                                 // mean
  std::int64_t truncated = 0;  // lines cut to the model's length, as training read them
  // The share of the time of training steps for which they waited for their batches; none in the logs of
  // older runs.
  std::optional<double> waiting_share;

  bool has_validation() const { return best_epoch > 0; }
};
// The column of log.csv that orders epochs by a metric, and which of its values is better.
std::pair<std::string, Metric::Best> ordering_column(const std::string& name);

RunFigures read_run(const std::filesystem::path& directory, const std::string& best_metric);
RunFigures read_log(const std::filesystem::path& log, const std::string& best_metric);

// Whether the recipe has an expectation about figures over padded positions, as its source counts them.
bool expects_reference_measure(const Recipe& recipe);

// Rows of the run's figures, sizes and speed; over padded positions only where the recipe expects them.
std::vector<ScoreRow> run_rows(const Recipe& recipe, const RunFigures& run, std::int64_t parameters);

// An expectation of a recipe that could be judged.
struct JudgedExpectation {
  Expectation expectation;
  double reached = 0;  // NaN: the figure is not defined
  std::string state;   // "ok" or "missed"

  // {"version": 1, "metric", "expected", "compare", "tolerance", "reached", "state"}, numbers as they are.
  Json json() const;
};

// "ok" or "missed".
std::string judge(const Expectation& expectation, double reached);

// The expectations about metrics that `figures` have ("validation_loss", "test_accuracy", "bleu"), in the
// order of the recipe; of several figures of one name the first counts.
std::vector<JudgedExpectation> judge_expectations(const Recipe& recipe,
                                                  std::span<const std::pair<std::string, double>> figures);
std::vector<JudgedExpectation> judge_expectations(const Recipe& recipe, const RunFigures& run,
                                                  std::int64_t parameters);

// After an empty line a table with the columns metric, expected, reached, state; or a JSON object a line.
// Nothing where nothing was judged.
std::string expectations_text(std::span<const JudgedExpectation> judged, bool is_json);

}  // namespace headwater
