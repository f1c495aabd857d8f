// The files of a run.
#include <algorithm>
#include <fstream>
#include <set>
#include <span>

#include "checkpoint/directory.hpp"
#include "cli/lines.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "families/family.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "reports/printed_tables.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "tools/report/report.hpp"
#include "training/state.hpp"

namespace headwater::report {

namespace {

constexpr std::uint64_t kMaxBytesOfLog = std::uint64_t{1} << 28, kMaxStateBytes = 1 << 20,
                        kMaxPrintedBytes = 1 << 24;

// A run is read for its page and for the table: each is said once.
void note_skipped(const std::string& reason) {
  static std::set<std::string> told;
  if (told.insert(reason).second) cli::note_skipped_checkpoints(std::span(&reason, 1));
}

// Beside the log, or in the folder of the run that holds the model; empty where there is none. A link that
// leads nowhere is one that cannot be read.
fs::path recipe_of_log(const fs::path& log, const std::string& run) {
  for (const fs::path& path :
       {log.parent_path() / "recipe.yaml", log.parent_path().parent_path() / "recipe.yaml"}) {
    if (is_there(as_named(path, run))) return path;
  }
  return {};
}

bool lies_beside_runs(const fs::path& path) {
  std::error_code none;
  if (path.extension() == ".log" || path.extension() == ".html") return fs::is_regular_file(path, none);
  const fs::path folder = path.has_filename() ? path : path.parent_path();
  return folder.filename() == "prepared" && fs::is_directory(path, none) &&
         !fs::exists(path / "log.csv", none) && !fs::exists(path / "model", none);
}

fs::path log_of_run(const fs::path& path) {
  if (!is_there(path) || !fs::is_directory(path)) return path;
  const bool holds_model = !is_there(path / "log.csv") && (is_there(path / "model" / "log.csv") ||
                                                           !list_checkpoints(path / "model").empty());
  return (holds_model ? path / "model" : path) / "log.csv";
}

}  // namespace

// The messages of the model, and of each stage's programs (cli::warn).
static RunMessages messages_of(const RunFiles& run) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(run.folder, none)) {
    if (entry.path().filename().string().ends_with("." + std::string(kMessagesFile)))
      files.push_back(file_of(run, entry.path().filename()));
  }
  std::sort(files.begin(), files.end());
  files.insert(files.begin(), run.log.parent_path() / kMessagesFile);
  const bool has_page = is_there(run.folder / "report.md");
  RunMessages messages;
  for (const fs::path& file : files) {
    if (!is_there(file)) continue;
    cli::run_files().reads(file);
    RunMessages said = read_messages(file);
    // The page is made last, and goes before training: beside it the run is whole, and what failed later was
    // refused.
    if (has_page && file != files.front()) said.failed.clear();
    // "test.txt.evaluate.messages.json"; what train says names its data itself.
    const fs::path program = file.stem().stem();
    if (program.has_extension() && program.extension() != ".train" && program.extension() != ".recipe") {
      for (std::string& warning : said.warnings) warning.insert(0, program.stem().string() + ": ");
    }
    messages.add(said);
  }
  return messages;
}

fs::path file_of(const RunFiles& run, const fs::path& name) {
  const fs::path path = run.folder / name;
  return run.log.is_absolute() ? path : path.lexically_proximate(fs::current_path());
}

bool has_made(const RunFiles& run, const fs::path& name, const char* fix) {
  const fs::path file = file_of(run, name);
  if (!is_there(file)) return false;
  if (!run.made) return true;
  const KnownFile* const made = find(*run.made, name.string());
  if (made != nullptr && look_at_made(file, made->name, made).hash != made->hash)
    throw Error(shown(file) + ": changed since the run made it (" + fix + ")");
  return made != nullptr;
}

// Without its recipe.
static RunFiles located_run(const std::string& run) {
  const fs::path path = run;
  RunFiles files;
  files.log = log_of_run(path);
  cli::run_files().reads(files.log);
  const fs::path log = fs::absolute(files.log).lexically_normal();
  files.name = name_of_run(path);
  files.model = log.parent_path();
  files.folder = files.model.filename() == "model" ? files.model.parent_path() : files.model;
  files.recipe_path = recipe_of_log(log, run);
  files.messages = messages_of(files);
  if (is_there(files.folder / kRecordFile)) files.made = read_record(files.folder).done;
  return files;
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
    std::error_code none;
    const bool is_lacking =
        named.size() > 1 && fs::is_directory(run, none) &&
        fs::symlink_status(run / fs::path("log.csv"), none).type() == fs::file_type::not_found &&
        fs::symlink_status(run / fs::path("model/log.csv"), none).type() == fs::file_type::not_found &&
        located_run(run).messages.failed.empty();
    (is_lacking ? lacking : begun).push_back(run);
  }
  if (begun.empty())
    throw Error(shown(lacking.front()) +
                ": no log.csv, nor has any other folder of these (name runs that have begun)");
  for (const std::string& run : lacking) cli::note(shown(run) + ": no log.csv; it is left out");
  return begun;
}

fs::path as_named(const fs::path& path, const std::string& run) {
  return fs::path(run).is_absolute() ? path : path.lexically_proximate(fs::current_path());
}

Recipe recipe_of_run(const fs::path& path) {
  constexpr std::uint64_t kMaxBytes = 1 << 20;
  try {
    return parse_recipe(read_file(path, kMaxBytes), shown(path));
  } catch (const UsageError& error) {  // the file is damaged, or of another version; the call is not wrong
    const std::string text = error.what();
    throw Error(text.substr(0, text.find('\n')));
  }
}

// What the newest checkpoint says of the log; nothing where there is none, or none that is whole.
static std::optional<LogPromise::Checkpoint> promise_of(const fs::path& model) {
  std::vector<std::string> skipped;
  for (const Checkpoint& checkpoint : list_checkpoints(model)) {
    try {
      const fs::path path = checkpoint.path / "state.json";
      const std::string text = read_file(path, kMaxStateBytes);
      check_listed_bytes(path, text,
                         listed_file(read_manifest(checkpoint.path), checkpoint.path, "state.json"));
      const TrainingState state = TrainingState::from_json(Json::parse(text, shown(path)), shown(path));
      for (const std::string& reason : skipped) note_skipped(reason);
      return LogPromise::Checkpoint{.step = state.step,
                                    .epoch = state.epoch,
                                    .ends_epoch = state.epoch > 0 && state.position == 0,
                                    .last_loss = state.last_loss,
                                    .best_step = state.has_best ? state.best_step : 0,
                                    .best_value = state.best_value,
                                    .is_finished = state.is_finished};
    } catch (const Error& error) {
      skipped.emplace_back(error.what());
    }
  }
  return std::nullopt;
}

RunFiles files_of_run(const std::string& run) {
  RunFiles files = located_run(run);
  LogPromise promise;
  if (!files.recipe_path.empty()) {
    files.recipe = recipe_of_run(as_named(files.recipe_path, run));
    const TrainingSettings& training = files.recipe->training;
    promise.log_every = training.log_every;
    promise.epochs = training.epochs;
    promise.best_metric = training.best_metric;
  }
  const bool is_log = files.log.filename() == "log.csv";
  if (is_log) promise.checkpoint = promise_of(as_named(files.model, run));
  if (is_there(files.log) &&
      (is_log || files.recipe)) {  // after the checkpoint, which promises what the log has by then
    files.may_go_on = check_log(read_file(files.log, kMaxBytesOfLog), shown(files.log), promise);
    if (!files.may_go_on)
      static_cast<void>(
          has_made(files, kLogOfRun, "bring the file back from a copy, or train anew with --overwrite"));
  } else if (promise.checkpoint) {
    throw Error(shown(files.log) + ": is gone, but the checkpoint of step " +
                std::to_string(promise.checkpoint->step) +
                " is there (bring it back from a copy, or train anew " + "with --overwrite)");
  }
  return files;
}

LearningCurve learning_curve_of(const RunFiles& run) {
  return parse_learning_curve(read_file(run.log, kMaxBytesOfLog), shown(run.log), run.name);
}

std::vector<LearningCurve> source_curves_of(const RunFiles& run) {
  constexpr std::uint64_t kMaxBytes = 1 << 20;
  const fs::path path = file_of(run, "source.csv");
  if (!is_there(path)) return {};
  cli::run_files().reads(path);
  return parse_source_curves(read_file(path, kMaxBytes), shown(path));
}

bool has_model(const fs::path& model) {
  if (!list_checkpoints(model).empty()) return true;
  const fs::path config = model / "config.json";
  std::error_code none;  // until the first best checkpoint of a run it is a link that leads nowhere
  return fs::status(config, none).type() != fs::file_type::not_found && is_there(config);
}

ModelFolder model_of_run(const fs::path& model) {
  ModelFolder folder = open_model(model);
  for (const std::string& reason : folder.skipped) note_skipped(reason);
  return folder;
}

std::int64_t count_parameters(const ModelFolder& folder) {
  const ModelDescription description =
      folder.family->model_of(folder.config, folder.config_path().string()).description;
  std::int64_t parameters = 0;
  for (const LayerSummary& layer : description.layers) parameters += layer.parameters;
  return parameters;
}

std::vector<std::string> lines_of(const fs::path& path) {
  cli::LineReader reader({path.string()}, {.replace_invalid = true});
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  std::ifstream file(path, std::ios::binary);
  if (!lines.empty() && file.seekg(-1, std::ios::end) && file.get() != '\n')
    throw Error(shown(path) + ":" + std::to_string(lines.size()) +
                ": ends inside a line (remove the file, and run the recipe again)");
  return lines;
}

// What is expected of a run may be asked after its model was made.
static std::vector<Expectation> expected_of(const RunFiles& run) {
  const fs::path asked = file_of(run, "recipe.yaml");
  if (is_there(asked)) return recipe_of_run(asked).expected;
  return run.recipe ? run.recipe->expected : std::vector<Expectation>{};
}

static std::optional<std::string> printed_tables(const RunFiles& run, const fs::path& name,
                                                 const NeededTables& needed) {
  if (!has_made(run, name)) return std::nullopt;
  const fs::path file = file_of(run, name);
  cli::run_files().reads(file);
  std::string text = read_file(file, kMaxPrintedBytes);
  check_printed_tables(text, shown(file), needed);
  return text;
}

std::optional<std::string> scores_of_order(const RunFiles& run, const std::string& order) {
  return printed_tables(run, "test." + order + ".txt", {.figures = {"loss", "accuracy"}});
}

std::optional<std::string> scores_of_run(const RunFiles& run) {
  NeededTables needed{.figures = {"loss", "accuracy"}, .has_classes = true};
  // Translations are judged by what translate wrote.
  if (run.recipe && family_of(run.recipe->model).task != Task::translation)
    needed.expected = expected_of(run);
  return printed_tables(run, "test.txt", needed);
}

std::optional<std::string> table_of_run(const RunFiles& run, std::optional<std::int64_t> parameters) {
  constexpr const char* kTable = "table.txt";
  const bool can_compare = !run.may_go_on && run.recipe && is_there(run.log);
  NeededTables needed{.figures = {"parameters"}};
  if (can_compare) needed.expected = expected_of(run);
  std::optional<std::string> text = printed_tables(run, kTable, needed);
  // A run that goes on has the table of its last end.
  if (!text || !can_compare) return text;
  const RunFigures figures = read_log(run.log, run.recipe->training.best_metric);
  std::vector<ScoreRow> rows = run_rows(*run.recipe, figures, parameters.value_or(0));
  if (!parameters) std::erase_if(rows, [](const ScoreRow& row) { return row.name == "parameters"; });
  check_printed_figures(*text, shown(file_of(run, kTable)), rows);
  return text;
}

}  // namespace headwater::report
