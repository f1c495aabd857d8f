// Whether files of a run can be believed. The tables that train and evaluate printed into its folder,
// table.txt and test.txt, are as they were printed. Its log.csv (run_log.cpp) is whole, its rows follow each
// other, and they are those that the recipe and the newest checkpoint promise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/recipe.hpp"
#include "reports/score_report.hpp"

namespace headwater {

// What such a text must have beside what each has.
struct NeededTables {
  std::vector<std::string> figures = {};   // their names
  bool has_classes = false;                // of a classifier: the scores of each class, too
  std::vector<Expectation> expected = {};  // those of these figures have a row
};

// Throws Error "where:line: what (fix)" for what is no text of tables as they print it: figures, scores of
// classes, expectations; and where it lacks something that is needed.
void check_printed_tables(std::string_view text, std::string_view where, const NeededTables& needed);

// The same where a figure is another than in `rows`, or one of these is missing, but for figures over padded
// positions, which are printed where a recipe expects them. Figures that `rows` lack are not compared.
void check_printed_figures(std::string_view text, std::string_view where, std::span<const ScoreRow> rows);

// What is known of a run beside its log.
struct LogPromise {
  struct Checkpoint {
    std::int64_t step = 0;
    std::int64_t epoch = 0;           // epochs that have ended
    bool ends_epoch = false;          // else it was saved within the next one
    std::optional<double> last_loss;  // the mean of the last of them; none in older runs
    std::int64_t best_step = 0;       // 0: nothing was validated
    double best_value = 0;            // the lower the better (Metric::badness)
    bool is_finished = false;
  };
  std::int64_t log_every = 0, epochs = 0;  // of the recipe; 0: not known
  std::string best_metric = "loss";
  std::optional<Checkpoint> checkpoint;  // none: nothing is known of it
};

// Returns whether the run may go on: it has not finished, or has begun to go on to another length. Only then
// a last line without its end is one that is being written. Throws Error "where:line: what (fix)".
bool check_log(std::string_view log, std::string_view where, const LogPromise& promise);

}  // namespace headwater
