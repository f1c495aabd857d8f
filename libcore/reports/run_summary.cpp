#include "reports/run_summary.hpp"

#include <algorithm>
#include <cmath>

#include "metrics/registry.hpp"
#include "recipe/key_values.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

// "accuracy 0.8100".
std::string figure_text(const std::string& name, double value) {
  const Metric* const metric = find_metric(name);
  return (metric == nullptr ? name : std::string(metric->heading)) + " " +
         format_fixed(value, metric == nullptr ? 4 : metric->digits);
}

std::string value_of(const Recipe& recipe, const std::string& key) {
  for (const auto& [name, value] : key_values(recipe, WhichKeys::read)) {
    if (name == key) return value;
  }
  return "";
}

std::string time_text(double seconds) {
  return seconds < 0.1 ? "less than 0.1 s" : format_fixed(seconds, seconds < 10 ? 1 : 0) + " s";
}

std::string what_was_run(const SummarizedRun& run) {
  std::string text = run.name + " is " + run.what;
  const bool is_solved = run.recipe.model.kind().is_solved;
  if (is_solved) {
    const std::string encoder = value_of(run.recipe, "model.encoder");
    const bool has_terms = encoder.empty() || encoder == "\"\"";
    text += std::string(", a linear model over ") + (has_terms ? "terms" : "the vectors of an encoder");
  }
  if (run.parameters) text += " with " + counted(*run.parameters, "parameter");
  text += ".";
  if (!run.messages.examples.empty()) text += " Its data: " + run.messages.examples + ".";
  if (run.figures.epochs == 0) return text;
  const std::string time = time_text(run.figures.seconds_an_epoch * static_cast<double>(run.figures.epochs));
  return text + (is_solved ? " Its weights are those of the least loss; they were found in " + time + "."
                           : " It trained for " + counted(run.figures.epochs, "epoch") + ", which took " +
                                 time + ".");
}

// The loss and the metric that orders the epochs.
std::string best_epoch(const SummarizedRun& run) {
  const RunFigures& figures = run.figures;
  const bool is_solved = run.recipe.model.kind().is_solved;
  if (figures.epochs == 0) return is_solved ? " It was not solved." : " No epoch has ended.";
  if (!figures.has_validation())
    return " Nothing was validated; the training loss" + std::string(is_solved ? "" : " of the last epoch") +
           " was " + format_fixed(figures.training_loss, 4) + ".";
  std::string text = is_solved
                         ? " On the validation data: " + figure_text("loss", figures.validation_loss)
                         : " Epoch " + std::to_string(figures.best_epoch) +
                               " was the best: " + figure_text("validation loss", figures.validation_loss);
  text += ", " + figure_text("accuracy", figures.validation_accuracy);
  const std::string column = "validation_" + run.recipe.training.best_metric;
  for (const auto& [name, value] : figures.figures) {
    if (value && (name == column || (is_solved && name == "validation_macro_f1")))
      text += ", " + figure_text(name.substr(std::string_view("validation_").size()), *value);
  }
  return text + ".";
}

std::string test_text(const SummarizedRun& run) {
  // Scores of texts say more than the loss of their tokens.
  std::vector<std::string> wanted{"bleu", "chrf", "rouge1", "rougeL"};
  if (std::ranges::none_of(run.test, [&](const auto& f) { return f.first == "bleu" || f.first == "rouge1"; }))
    wanted = {"loss", "accuracy", "macro_f1", "perplexity"};
  std::string text;
  for (const auto& [name, value] : run.test) {
    if (std::ranges::find(wanted, name) == wanted.end()) continue;
    text += (text.empty() ? " On the test data: " : ", ") + figure_text(name, value);
  }
  return text.empty() ? text : text + ".";
}

std::vector<JudgedRun::Line> lines_with(const JudgedRun& judged, std::string_view state) {
  std::vector<JudgedRun::Line> lines;
  for (const JudgedRun::Line& line : judged.lines) {
    if (line.state == state && !line.wanted.empty()) lines.push_back(line);
  }
  return lines;
}

std::string expected_text(const SummarizedRun& run) {
  const std::vector<JudgedRun::Line> missed = lines_with(run.judged, "missed"),
                                     met = lines_with(run.judged, "ok");
  if (missed.empty()) return met.empty() ? "" : " Everything that the recipe expects was reached.";
  std::string text = " It missed what the recipe expects:";
  for (const JudgedRun::Line& line : missed)
    text += (&line == &missed.front() ? " " : "; ") + line.wanted + ", reached " + line.reached;
  return text + ".";
}

// "training.epochs (3)".
std::string key_text(const Recipe& recipe, const std::string& key) {
  const std::string value = value_of(recipe, key);
  return value.empty() ? key : key + " (" + value + ")";
}

// The loss of training is far below that of validation, which was lower before.
bool overfits(const SummarizedRun& run) {
  constexpr double kFarBelow = 0.7, kRisen = 1.02;
  if (run.epochs.size() < (run.recipe.model.kind().is_solved ? 1 : 2)) return false;
  const LearningCurve curve{"", run.epochs};
  const LearningCurve::Point& last = curve.points.back();
  const LearningCurve::Point* const best = best_point(curve, loss_curve());
  return best != nullptr && last.training_loss < kFarBelow * last.validation_loss &&
         (run.recipe.model.kind().is_solved || last.validation_loss > kRisen * best->validation_loss);
}

bool hardly_learns(const SummarizedRun& run) {
  constexpr double kHardly = 0.97, kKnown = 0.1;  // a loss below this is that of a model that knows them
  return run.epochs.size() > 1 && run.epochs.back().training_loss > kKnown &&
         run.epochs.back().training_loss > kHardly * run.epochs.front().training_loss;
}

bool has_ended_early(const SummarizedRun& run) {
  const TrainingSettings& training = run.recipe.training;
  return !run.recipe.model.kind().is_solved && run.figures.epochs < training.epochs &&
         training.early_stopping.patience == 0 && training.max_steps == 0;
}

std::string against_overfitting(const Recipe& recipe) {
  if (recipe.model.kind().is_solved) return "a lower " + key_text(recipe, "model.C");
  return (value_of(recipe, "model.dropout").empty()
              ? ""
              : "a higher " + key_text(recipe, "model.dropout") + ", ") +
         "fewer epochs";
}

std::vector<std::string> what_to_try(const SummarizedRun& run) {
  const Recipe& recipe = run.recipe;
  std::vector<std::string> advice;
  if (has_ended_early(run))
    advice.push_back("run the same command again, which goes on to epoch " +
                     std::to_string(recipe.training.epochs));
  if (overfits(run)) {
    const LearningCurve::Point& last = run.epochs.back();
    advice.push_back(against_overfitting(recipe) +
                     " or more data, because it overfits: at the end the training loss is " +
                     format_fixed(last.training_loss, 4) + " and the validation loss " +
                     format_fixed(last.validation_loss, 4));
  } else if (hardly_learns(run)) {
    advice.push_back("another " + key_text(recipe, "training.optimizer.learning_rate") +
                     ", because the training loss hardly fell");
  } else if (!has_ended_early(run) && run.figures.epochs > 1 &&
             run.figures.best_epoch == run.figures.epochs) {
    advice.push_back("more " + key_text(recipe, "training.epochs") + ", because the last epoch was the best");
  }
  const auto is_cut = [](const std::string& warning) {
    return warning.find("truncated to") != std::string::npos ||
           warning.find("the rest of") != std::string::npos;
  };
  if (std::ranges::any_of(run.messages.warnings, is_cut))
    advice.push_back("a higher " + key_text(recipe, "model.length") + ", because texts were truncated");
  if (recipe.model.kind().is_solved && advice.empty() && run.figures.epochs > 0)
    advice.push_back("other values of " + key_text(recipe, "model.C") +
                     ", which take as short a time (headwater run --array model.C=0.1,1,10)");
  if (!advice.empty()) return advice;
  if (!lines_with(run.judged, "missed").empty())
    return {recipe.data.set.empty()
                ? "another seed, or one changed key beside this run (report --runs)"
                : "another seed, and compare keys and data with those of the recipe's source"};
  return {"the model itself (" + run.next_tool + "), or one changed key beside this run (report --runs)"};
}

std::string next_text(const SummarizedRun& run) {
  std::string text;
  for (const std::string& advice : what_to_try(run))
    text += (text.empty() ? " To try next: " : "; ") + advice;
  return text + ".";
}

}  // namespace

std::string run_summary(const SummarizedRun& run) {
  std::string text = what_was_run(run);
  if (!run.messages.failed.empty()) text += " The run failed: " + run.messages.failed + ".";
  text += best_epoch(run) + test_text(run) + expected_text(run);
  return run.messages.failed.empty() ? text + next_text(run) : text;
}

std::string runs_summary(const std::vector<RunRow>& rows, std::size_t runs) {
  const auto whole = std::ranges::count_if(rows, [](const RunRow& row) { return row.failed.empty(); });
  const std::int64_t failed = static_cast<std::int64_t>(runs) - whole;
  std::string text = "This page has " + counted(static_cast<std::int64_t>(runs), "run");
  text += failed == 0 ? "." : ", of which " + std::to_string(failed) + " failed: the tables say why.";
  const std::vector<bool> best = best_runs(rows);
  std::string names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!best[i]) continue;
    const std::string& metric = rows[i].recipe->training.best_metric;
    const std::optional<double> value = validation_figure(rows[i], metric);
    names += (names.empty() ? "" : "; ") + rows[i].name + " (validation " +
             figure_text(metric, value.value_or(0)) + ", epoch " +
             std::to_string(rows[i].figures.best_epoch) + " of " + std::to_string(rows[i].figures.epochs) +
             ")";
  }
  if (names.empty()) return text;
  return text + " The best by training.best_metric: " + names +
         ". To try next: one more change to the best run. The second table lists the keys that differ so "
         "far.";
}

PageParts summary_parts(const SummarizedRun& run) {
  PageParts parts{page_paragraph(run_summary(run))};
  if (run.messages.warnings.empty()) return parts;
  std::string lines;
  for (const std::string& warning : run.messages.warnings) lines += warning + "\n";
  parts.push_back(page_heading("warnings"));
  parts.push_back(page_block(lines));
  return parts;
}

}  // namespace headwater
