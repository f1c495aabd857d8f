// Data sets, and learning curves of runs.
#include "cli/result_file.hpp"
#include "reports/data_summary.hpp"
#include "reports/learning_curves.hpp"
#include "support/error.hpp"
#include "tasks/registry.hpp"
#include "tools/inspect/inspect.hpp"

namespace headwater::inspect {

void inspect_data(const Options& o) {
  std::vector<std::string> names = o.columns;
  for (const std::string& name : names) {
    if (name != "source" && name != "target" && name != "label")
      throw UsageError("--columns: unknown column " + quote(name) + " (source, target or label)");
  }
  if (names.empty() && !o.recipe.empty()) names = read_recipe(o.recipe, o.scale).data.columns;
  DataSummary summary(names);
  cli::LineReader reader(o.data, o.reader);
  for (std::string_view line; reader.next(line);) {
    try {
      summary.add(line);
    } catch (const Error& error) {
      throw Error(reader.place() + ":" + error.what());
    }
  }
  cli::LineWriter out;
  if (o.is_json) {
    for (const Json& json : summary.json()) out.line(json.dump());
  } else {
    out.text(summary.text());
  }
  out.flush();
}

namespace {

// models/recipes/imdb-encoder/model is called imdb-encoder, models/spa-eng spa-eng.
std::string name_of_run(const fs::path& run) {
  fs::path path = fs::absolute(run).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == "log.csv") path = path.parent_path();
  if (path.filename() == "model") path = path.parent_path();
  return path.filename().string();
}

}  // namespace

void draw_curves(const Options& o) {
  if (o.output != "-") cli::check_result_file(o.output);
  std::vector<LearningCurve> curves;
  for (const std::string& run : o.runs) {
    fs::path log = run;
    if (fs::is_directory(log)) {
      log = fs::exists(log / "log.csv") || !fs::exists(log / "model" / "log.csv") ? log / "log.csv"
                                                                                  : log / "model" / "log.csv";
    }
    constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 28;
    curves.push_back(parse_learning_curve(read_file(log, kMaxBytes), shown(log), name_of_run(run)));
  }
  cli::write_result_file(o.output, learning_curves_svg(curves, o.title));
}

}  // namespace headwater::inspect
