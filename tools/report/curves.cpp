// The course of runs as one picture.
#include <iterator>

#include "cli/lines.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "reports/learning_curves.hpp"
#include "support/error.hpp"
#include "tools/report/report.hpp"

namespace headwater::report {

void name_curves(std::vector<LearningCurve>& curves, const std::vector<RunFiles>& runs) {
  std::vector<std::string> names;
  std::vector<std::optional<Recipe>> recipes;
  for (const RunFiles& run : runs) {
    names.push_back(run.name);
    recipes.push_back(run.recipe);
  }
  if (runs.size() > 1) names = names_of_runs(names, recipes);
  for (std::size_t run = 0; run < runs.size(); ++run)
    curves[run].name = names[run] + (runs[run].messages.failed.empty() ? "" : " (failed)");
}

void draw_curves(const Options& o) {
  std::vector<LearningCurve> curves, sources;
  std::vector<RunFiles> runs;
  std::int64_t failed = 0;
  for (const std::string& run : begun_among(o.curves)) {
    RunFiles files = files_of_run(run);
    failed += files.messages.failed.empty() ? 0 : 1;
    try {
      curves.push_back(learning_curve_of(files));
    } catch (const Error&) {
      if (files.messages.failed.empty()) throw;
      if (o.curves.size() == 1) throw Error(shown(run) + ": failed: " + files.messages.failed);
      cli::note(files.name + ": failed: " + files.messages.failed + "; it is left out");
      continue;
    }
    sources = source_curves_of(files);
    if (files.recipe) set_best_metric(curves.back(), files.recipe->training.best_metric);
    runs.push_back(std::move(files));
  }
  cli::check_ending(o.output, "-o", "svg");
  name_curves(curves, runs);
  if (o.is_json) {
    cli::LineWriter out;
    for (const Json& json : learning_curves_json(curves)) out.line(json.dump());
    out.flush();
  }
  // Beside one run its source; several are there to be compared with each other.
  if (runs.size() == 1)
    curves.insert(curves.end(), std::move_iterator(sources.begin()), std::move_iterator(sources.end()));
  if (!o.is_json || o.output != "-")
    cli::write_result_file(o.output,
                           learning_curves_svg(curves, o.title.empty() ? "Learning curves" : o.title));
  check_failed(failed, o.curves.size(), "report RUN");
}

}  // namespace headwater::report
