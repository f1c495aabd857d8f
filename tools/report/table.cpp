// Runs beside each other; what was expected of the runs of recipes, and what they reached.
#include <algorithm>

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "families/model_directory.hpp"
#include "reports/run_table.hpp"
#include "reports/score_report.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/report/report.hpp"

namespace headwater::report {

// What evaluate said of the model, and the scores of the texts that it wrote.
NamedFigures test_figures(const RunFiles& run) {
  NamedFigures figures;
  if (const auto scores = scores_of_run(run)) figures = figures_of_score_table(*scores);
  if (!has_made(run, "test.hypotheses")) return figures;
  const fs::path written = file_of(run, "test.hypotheses"), right = file_of(run, "test.references");
  for (const fs::path& file : {written, right}) cli::run_files().reads(file);
  const std::vector<std::string> hypotheses = lines_of(written);
  const std::vector<std::vector<std::string>> references{lines_of(right)};
  if (hypotheses.size() != references.front().size())
    throw Error(shown(written) + ": " + counted(std::ssize(hypotheses), "line") + ", but " + shown(right) +
                " has " + std::to_string(references.front().size()) +
                " (remove both, and run the recipe again)");
  if (hypotheses.empty()) return figures;
  TextMetrics metrics;
  metrics.names = {"bleu", "chrf"};
  if (run.recipe && run.recipe->data.summaries) metrics.names = {"rouge1", "rouge2", "rougeL"};
  const std::vector<ScoreRow> rows = text_rows(hypotheses, references, metrics);
  for (std::size_t i = 0; i < rows.size(); ++i)
    figures.emplace_back(metrics.names[i], rows[i].json.at("score").as_number());
  return figures;
}

RunRow row_of_run(const std::string& name) {
  RunRow row;
  try {
    RunFiles run = files_of_run(name);
    // A stage before training may have failed.
    if (run.messages.failed.empty() || is_there(run.log))
      row.figures = read_log(run.log, run.recipe ? run.recipe->training.best_metric : "loss");
    row.test = test_figures(run);
    const fs::path model = as_named(run.model, name);
    if (has_model(model)) row.parameters = count_parameters(model_of_run(model));
    row.failed = run.messages.failed;
    row.name = std::move(run.name);
    row.recipe = std::move(run.recipe);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    row = {};
    row.name = name_of_run(name);
    row.error = error.what();
  }
  return row;
}

void write_table(const Options& o) {
  std::vector<RunRow> rows;
  std::vector<std::string> errors;
  for (const std::string& name : begun_among(o.runs)) {
    rows.push_back(row_of_run(name));
    if (!rows.back().error.empty()) errors.push_back(rows.back().error);
  }
  cli::check_ending(o.output, "-o",
                    o.is_csv    ? "csv"
                    : o.is_json ? "json"
                                : "text",
                    {{"csv", "--csv"}, {"json", "--json"}});
  if (errors.size() < rows.size()) {
    std::string text;
    if (o.is_json) {
      for (const Json& json : run_table_json(rows)) text += json.dump() + "\n";
    } else {
      text = o.is_csv ? run_table_csv(rows) : run_table_text(rows);
    }
    cli::write_result_file(o.output, text);
  }
  const std::int64_t failed =
      std::ranges::count_if(rows, [](const RunRow& row) { return !row.failed.empty(); });
  if (errors.empty()) return check_failed(failed, rows.size(), "the table");
  if (failed > 0)
    throw Error(std::to_string(std::ssize(errors) + failed) + " of " + counted(std::ssize(rows), "run") +
                " failed or cannot be read (the table says why)");
  std::string text = errors.front();
  if (errors.size() > 1)
    text += "; " + counted(std::ssize(errors) - 1, "other run") + " cannot be read either";
  throw Error(text);
}

void check_failed(std::int64_t failed, std::size_t runs, const std::string& place) {
  if (failed > 0)
    throw Error(std::to_string(failed) + " of " + counted(static_cast<std::int64_t>(runs), "run") +
                " failed (" + place + " says why)");
}

// The last stage of a recipe writes report.md.
JudgedRun judged_folder(const RunFiles& run) {
  if (!is_there(run.folder / "report.md")) return failed_run(run.name, run.messages.failed);
  std::vector<std::string> tables;
  for (std::optional<std::string> table : {table_of_run(run, std::nullopt), scores_of_run(run)}) {
    if (table) tables.push_back(std::move(*table));
  }
  return judged_run(run.name, tables);
}

void write_expected(const Options& o) {
  std::vector<JudgedRun> runs;
  for (const std::string& folder : o.expected) {
    try {
      const bool is_run = is_there(folder) && fs::is_directory(folder);
      runs.push_back(is_run ? judged_folder(files_of_run(folder)) : failed_run(name_of_run(folder)));
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      cli::note(error.what());
      runs.push_back(failed_run(name_of_run(folder)));
    }
  }
  cli::check_ending(o.output, "-o", "text");
  cli::write_result_file(o.output, judged_runs_table(runs).text());
  const auto bad =
      std::count_if(runs.begin(), runs.end(), [](const JudgedRun& run) { return !run.is_good(); });
  if (bad > 0)
    throw Error(std::to_string(bad) + " of " + counted(static_cast<std::int64_t>(runs.size()), "run") +
                " failed or missed what was expected");
}

}  // namespace headwater::report
