// The files of a run.
#include "cli/result_file.hpp"
#include "pretrained/model_directory.hpp"
#include "pretrained/registry.hpp"
#include "support/error.hpp"
#include "tools/report/report.hpp"

namespace headwater::report {

namespace {

std::optional<Recipe> recipe_of_log(const fs::path& log) {
  for (const fs::path& path :
       {log.parent_path() / "recipe.yaml", log.parent_path().parent_path() / "recipe.yaml"}) {
    std::error_code none;
    if (!fs::is_regular_file(path, none)) continue;
    constexpr std::uint64_t kMaxBytes = 1 << 20;
    try {
      return parse_recipe(read_file(path, kMaxBytes), path.string());
    } catch (const Error&) {  // of another version: a report can do without
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

RunFiles files_of_run(const std::string& run) {
  const fs::path path = run;
  RunFiles files;
  files.log = path;
  if (fs::is_directory(path)) {
    const bool holds_model = !fs::exists(path / "log.csv") && fs::exists(path / "model" / "log.csv");
    files.log = (holds_model ? path / "model" : path) / "log.csv";
  }
  cli::run_files().reads(files.log);
  const fs::path log = fs::absolute(files.log).lexically_normal();
  files.name = name_of_model(path.filename() == "log.csv" ? log.parent_path() : path);
  files.model = log.parent_path();
  files.folder = files.model.filename() == "model" ? files.model.parent_path() : files.model;
  files.recipe = recipe_of_log(log);
  return files;
}

}  // namespace headwater::report
