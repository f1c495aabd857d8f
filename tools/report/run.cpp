// The files of a run.
#include <algorithm>

#include "cli/lines.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "pretrained/kind.hpp"
#include "pretrained/model_directory.hpp"
#include "pretrained/registry.hpp"
#include "support/error.hpp"
#include "tools/report/report.hpp"

namespace headwater::report {

namespace {

// Beside the log, or in the folder of the run that holds the model; empty where there is none.
fs::path recipe_of_log(const fs::path& log) {
  for (const fs::path& path :
       {log.parent_path() / "recipe.yaml", log.parent_path().parent_path() / "recipe.yaml"}) {
    std::error_code none;
    if (fs::is_regular_file(path, none)) return path;
  }
  return {};
}

// Nothing for one of another version: a table can do without.
std::optional<Recipe> readable_recipe(const fs::path& path) {
  constexpr std::uint64_t kMaxBytes = 1 << 20;
  if (path.empty()) return std::nullopt;
  try {
    return parse_recipe(read_file(path, kMaxBytes), path.string());
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool lies_beside_runs(const fs::path& path) {
  std::error_code none;
  if (path.extension() == ".log" || path.extension() == ".html") return fs::is_regular_file(path, none);
  const fs::path folder = path.has_filename() ? path : path.parent_path();
  return folder.filename() == "prepared" && fs::is_directory(path, none) &&
         !fs::exists(path / "log.csv", none) && !fs::exists(path / "model", none);
}

fs::path log_of_run(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  const bool holds_model = !fs::exists(path / "log.csv") && fs::exists(path / "model" / "log.csv");
  return (holds_model ? path / "model" : path) / "log.csv";
}

}  // namespace

// Of the model, and of each stage's programs (cli::warn).
static RunMessages messages_of(const RunFiles& run) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(run.folder, none)) {
    const bool is_of_stage = entry.path().filename().string().ends_with("." + std::string(kMessagesFile));
    if (is_of_stage && entry.is_regular_file(none)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  files.insert(files.begin(), run.log.parent_path() / kMessagesFile);
  RunMessages messages;
  for (const fs::path& file : files) {
    if (!fs::exists(file, none)) continue;
    cli::run_files().reads(file);
    RunMessages said = read_messages(file);
    // "test.txt.evaluate.messages.json"; what train says names its data itself.
    const fs::path program = file.stem().stem();
    if (program.has_extension() && program.extension() != ".train" && program.extension() != ".recipe") {
      for (std::string& warning : said.warnings) warning.insert(0, program.stem().string() + ": ");
    }
    messages.add(said);
  }
  return messages;
}

std::vector<std::string> runs_among(const std::vector<std::string>& named) {
  std::vector<std::string> runs;
  for (const std::string& path : named) {
    if (!lies_beside_runs(path)) runs.push_back(path);
  }
  return runs.empty() ? named : runs;
}

std::vector<std::string> begun_among(const std::vector<std::string>& named) {
  std::vector<std::string> begun, lacking;
  for (const std::string& run : named) {
    const bool is_lacking = named.size() > 1 && fs::is_directory(run) &&
                            fs::symlink_status(log_of_run(run)).type() == fs::file_type::not_found &&
                            files_of_run(run).messages.failed.empty();
    (is_lacking ? lacking : begun).push_back(run);
  }
  if (begun.empty())
    throw Error(shown(lacking.front()) +
                ": no log.csv, nor has any other folder of these (name runs that have begun)");
  for (const std::string& run : lacking) cli::note(shown(run) + ": no log.csv; it is left out");
  return begun;
}

RunFiles files_of_run(const std::string& run) {
  const fs::path path = run;
  RunFiles files;
  files.log = log_of_run(path);
  cli::run_files().reads(files.log);
  const fs::path log = fs::absolute(files.log).lexically_normal();
  files.name = name_of_model(path.filename() == "log.csv" ? log.parent_path() : path);
  files.model = log.parent_path();
  files.folder = files.model.filename() == "model" ? files.model.parent_path() : files.model;
  files.recipe_path = recipe_of_log(log);
  files.recipe = readable_recipe(files.recipe_path);
  files.messages = messages_of(files);
  return files;
}

LearningCurve learning_curve_of(const RunFiles& run) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 28;
  return parse_learning_curve(read_file(run.log, kMaxBytes), shown(run.log), run.name);
}

std::vector<LearningCurve> source_curves_of(const RunFiles& run) {
  constexpr std::uint64_t kMaxBytes = 1 << 20;
  fs::path path = run.folder / "source.csv";
  if (!fs::exists(path)) return {};
  if (!run.log.is_absolute()) path = path.lexically_proximate(fs::current_path());  // as the run was named
  cli::run_files().reads(path);
  return parse_source_curves(read_file(path, kMaxBytes), shown(path));
}

std::int64_t count_parameters(const fs::path& model) {
  const ModelFolder folder = open_model(model);
  const ModelDescription description = folder.kind->describe(folder.config, folder.config_path().string());
  std::int64_t parameters = 0;
  for (const LayerSummary& layer : description.layers) parameters += layer.parameters;
  return parameters;
}

std::optional<std::int64_t> parameters_of(const fs::path& model) {
  try {
    return count_parameters(model);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<std::string> lines_of(const fs::path& path) {
  cli::LineReader reader({path.string()}, {.replace_invalid = true});
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

}  // namespace headwater::report
