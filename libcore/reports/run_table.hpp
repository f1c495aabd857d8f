// Runs beside each other: what their recipes differ in, what each reached, what it cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recipe/recipe.hpp"
#include "reports/run_report.hpp"
#include "reports/table.hpp"
#include "support/json.hpp"

namespace headwater {

using NamedFigures = std::vector<std::pair<std::string, double>>;

struct RunRow {
  std::string name;
  std::optional<Recipe> recipe;  // none: not known
  RunFigures figures;
  NamedFigures test;  // "accuracy", of the test data
  std::optional<std::int64_t> parameters;
  std::string failed = {};  // why; empty: it did not
  std::string error = {};   // why the run cannot be read; then nothing else is known
};

// The keys in which recipes differ, in their order, without those that only say what a run is called, what is
// expected of it and which checkpoints it keeps.
struct DifferingKeys {
  std::vector<std::string> keys;
  // For each recipe a value a key; none where its settings do not read the key, or it is not known.
  std::vector<std::vector<std::optional<std::string>>> values;
  // The last word of a key, or the whole one where others end in the same: "width".
  std::string short_name(std::size_t key) const;
};
DifferingKeys differing_keys(const std::vector<std::optional<Recipe>>& recipes);

// A figure of the best epoch by its metric's name; nothing where the run has none.
std::optional<double> validation_figure(const RunRow& row, std::string_view metric);

// Which runs are the best by training.best_metric, one at least of each two or more of one task, metric and
// data; none of those that failed. Linear models, which have no such key, stand among the others.
std::vector<bool> best_runs(const std::vector<RunRow>& rows);

// A row a run, the best ones with a star after their names: the keys that differ, epochs and the best one,
// its validation loss and the figure by which it was chosen, figures of the test data, seconds of training,
// parameters, and why one failed. Where more than eight keys differ a line says how many.
struct ReadableRunTable {
  Table table;
  std::string note = {};  // what was left out
};
ReadableRunTable readable_run_table(const std::vector<RunRow>& rows);
std::string run_table_text(const std::vector<RunRow>& rows);
// The same with the full names of keys and all digits (RFC 4180), the first record being the names.
std::string run_table_csv(const std::vector<RunRow>& rows);
// An object a run, with every validation figure.
std::vector<Json> run_table_json(const std::vector<RunRow>& rows);

// The figures of a table as evaluate prints it: its first rows, to the first empty line. How many tokens are
// unknown is no figure of a model.
NamedFigures figures_of_score_table(std::string_view text);

// What was expected of a run and what it reached, as train and evaluate said it.
struct JudgedRun {
  struct Line {
    std::string wanted, reached, state;  // "test_accuracy >= 0.89", "0.8943", "ok" or "missed"
  };
  std::string name, parameters, seconds_an_epoch, tokens_a_second;  // empty: not said
  std::vector<Line> lines;  // one at least, whose state is "ran" where nothing was expected
  bool has_failed = false;

  bool is_good() const;
};
// Read from the tables that train and evaluate printed, in this order.
JudgedRun judged_run(std::string name, const std::vector<std::string>& tables);
JudgedRun failed_run(std::string name, const std::string& reason = "");
// A row a run, or one for each of its expectations, without columns that no run has anything in.
Table judged_runs_table(const std::vector<JudgedRun>& runs);

}  // namespace headwater
