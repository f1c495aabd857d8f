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
  std::vector<std::string> names, lacking;
  std::vector<std::optional<Recipe>> recipes;
  for (const std::string& run : o.curves) {
    RunFiles files = files_of_run(run);
    if (o.curves.size() > 1 && fs::is_directory(run) &&
        fs::symlink_status(files.log).type() == fs::file_type::not_found) {
      lacking.push_back(shown(run) + ": no log.csv");
      continue;
    }
    curves.push_back(learning_curve_of(files));
    if (files.recipe) set_best_metric(curves.back(), files.recipe->training.best_metric);
    names.push_back(std::move(files.name));
    recipes.push_back(std::move(files.recipe));
  }
  if (curves.empty())
    throw Error(lacking.front() + ", nor has any other folder of these (name runs that have begun)");
  for (const std::string& run : lacking) cli::note(run + "; it is left out");
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
