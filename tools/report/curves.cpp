// The course of runs as one picture.
#include "cli/lines.hpp"
#include "cli/result_ending.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "reports/learning_curves_svg.hpp"
#include "support/error.hpp"
#include "tools/report/report.hpp"

namespace headwater::report {

void name_curves(std::vector<LearningCurve>& curves, const std::vector<std::string>& names,
                 const std::vector<std::optional<Recipe>>& recipes) {
  const std::vector<std::string> chosen = curves.size() > 1 ? names_of_runs(names, recipes) : names;
  for (std::size_t run = 0; run < curves.size(); ++run) curves[run].name = chosen[run];
}

void draw_curves(const Options& o) {
  std::vector<LearningCurve> curves;
  std::vector<std::string> names;
  std::vector<std::optional<Recipe>> recipes;
  for (const std::string& run : begun_among(o.curves)) {
    RunFiles files = files_of_run(run);
    curves.push_back(learning_curve_of(files));
    if (files.recipe) set_best_metric(curves.back(), files.recipe->training.best_metric);
    names.push_back(std::move(files.name));
    recipes.push_back(std::move(files.recipe));
  }
  cli::check_ending(o.output, "-o", "svg");
  name_curves(curves, names, recipes);
  if (o.is_json) {
    cli::LineWriter out;
    for (const Json& json : learning_curves_json(curves)) out.line(json.dump());
    out.flush();
  }
  if (!o.is_json || o.output != "-")
    cli::write_result_file(o.output,
                           learning_curves_svg(curves, o.title.empty() ? "Learning curves" : o.title));
}

}  // namespace headwater::report
