// Runs of a recipe, each in a process of its own: one, or one for each combination of settings; and those of
// several recipes.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <set>
#include <span>
#include <thread>

#include "cli/lines.hpp"
#include "cli/output.hpp"
#include "cli/tool.hpp"
#include "families/registry.hpp"
#include "pipeline/children.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/headwater/runs.hpp"

namespace headwater::front {

namespace {

// Programs would take such a path for an option.
fs::path not_an_option(const fs::path& path) { return path.string().starts_with('-') ? "." / path : path; }

}  // namespace

void end_if_told() {
  try {
    Children::throw_if_told();
  } catch (const Told& told) {
    cli::end_by_signal(told.signal);
  }
}

Runner::Runner(const Options& o, House house)
    : o_(o), house_(std::move(house)), models_(not_an_option(o.models).string()) {
  while (models_.size() > 1 && models_.ends_with('/')) models_.pop_back();
}

std::string Runner::name(const Run& run) const {
  std::string name = fs::path(run.meant->recipe).filename().string();
  if (const std::size_t point = name.rfind('.'); point != name.npos) name.resize(point);
  if (run.seed && *run.seed != run.meant->own_seed) name += "-seed-" + std::to_string(*run.seed);
  if (o_.scale == "quick") name += "-quick";
  for (const Setting& setting : run.settings) {
    std::string part = "-" + setting.text();
    std::replace(part.begin(), part.end(), '=', '-');
    std::replace(part.begin(), part.end(), '/', '-');
    name += part;
  }
  return name;
}

fs::path Runner::model_of(const std::string& recipe) const {
  return recipes() / (recipe + (o_.scale == "quick" ? "-quick" : "")) / "model";
}

RunRequest Runner::request(const Run& run) const {
  RunRequest request{.typed = run.meant->recipe,
                     .recipe = not_an_option(run.meant->file),
                     .house = house_.root,
                     .bin = house_.programs,
                     .models = models_,
                     .run = folder(run),
                     .data = o_.data.empty() ? fs::path() : not_an_option(o_.data),
                     .scale = o_.scale,
                     .seed = run.seed,
                     .changes = {},
                     .threads = threads(),
                     .is_quiet = o_.is_quiet,
                     .overwrites = o_.overwrites,
                     .allows_empty = o_.allows_empty,
                     .shows_commands = !o_.is_quiet,
                     .is_of_make = house_.is_of_make,
                     .program = std::string(cli::tool_name()),
                     .say = cli::note,
                     .show = cli::write_output};
  for (const Setting& setting : run.settings) request.changes.push_back(setting.text());
  return request;
}

std::int64_t Runner::threads() const {
  if (o_.threads) return *o_.threads;
  if (o_.jobs <= 1) return 0;
  return std::max<std::int64_t>(1, std::thread::hardware_concurrency() / static_cast<unsigned>(o_.jobs));
}

int status_of(const RunRequest& request, int (*work)(RecipeRun&)) {
  try {
    RecipeRun run(request);
    return work(run);
  } catch (const Told& told) {
    cli::end_by_signal(told.signal);
    return 128 + told.signal;
  } catch (const StageFailed&) {
    return kStageFailed;
  } catch (const SeveralErrors& errors) {
    for (const std::string& line : errors.lines()) cli::note(line);
    return 2;
  } catch (const UsageError& error) {
    cli::note(error.what());
    return 2;
  } catch (const std::exception& error) {
    cli::note(error.what());
    return 1;
  }
}

int carry_out_all(RecipeRun& run) {
  if (run.show_read_only()) return 0;
  run.prepare();
  run.carry_out();
  return 0;
}

void run_one(const Runner& runner, const Run& run) {
  const Children children;
  Children::start([&] { return status_of(runner.request(run), carry_out_all); });
  const Ended ended = Children::wait().second;
  end_if_told();
  if (ended.signal == SIGPIPE) cli::end_by_signal(SIGPIPE);
  if (ended.signal != 0) throw Error(runner.name(run) + ": ended by signal " + std::to_string(ended.signal));
  if (ended.status == kStageFailed) throw Error(runner.name(run) + ": failed; the lines above say why");
  if (ended.status != 0) std::exit(ended.status);
}

namespace {

// Bytes of the name of a run: that of its log is 4 longer, and a file system takes 255.
constexpr std::size_t kLongestName = 251;

// The model of another run that one reads, where it is missing; empty: none is.
fs::path missing_model(const Runner& runner, const Run& run, const Recipe& recipe) {
  std::error_code none;
  if (fs::exists(runner.folder(run) / "model", none)) return {};
  for (fs::path model : models_of(recipe)) {
    const std::string maker = maker_of(runner.house().root, model.string());
    if (!maker.empty()) model = runner.model_of(maker);
    if (!fs::exists(model, none)) return model;
  }
  return {};
}

void write_script(const RunRequest& request) {
  cli::LineWriter out;
  out.text(RecipeRun(request).script());
  out.flush();
}

}  // namespace

void run_recipe(const Options& given) {
  Options o = given;
  if (o.is_all) return run_all(o);
  House house = find_house();
  const std::size_t listed = expand_list(house, o);
  const bool is_list = listed > 0;
  std::size_t recipes = std::max<std::size_t>(listed, 1);
  while (!is_list && recipes < o.words.size() && is_recipe(o.words[recipes])) ++recipes;
  const bool is_sweep = !o.arrays.empty() || recipes > 1 || is_list;
  if (o.is_script && is_sweep)
    throw UsageError(o.arrays.empty() ? "--script is of one run (name one recipe)"
                                      : "--script is of one run (leave out --array)");
  if (o.jobs > 1 && !is_sweep)
    throw UsageError("--jobs goes with --array or several recipes (one run is one job)");
  const Meant none{};
  (void)runs_of(o, none, recipes);  // whose faults come first
  std::vector<Meant> meant;
  for (const std::string& word : std::span(o.words).first(recipes)) {
    meant.push_back(at_place(o, word, [&] { return meant_by(house, word); }));
  }
  std::vector<Run> runs;
  for (const Meant& each : meant) {
    for (Run& run : runs_of(o, each, recipes)) runs.push_back(std::move(run));
  }
  const Runner runner(o, house);
  std::set<std::string> names, left_out;
  for (const Run& run : runs) {
    const Recipe recipe = recipe_of(o, run);
    if (const fs::path model = missing_model(runner, run, recipe); is_list && !model.empty()) {
      left_out.insert(runner.name(run));
      if (!o.is_quiet) cli::note(runner.name(run) + ": left out: " + model.string() + ": no such model");
    }
    if (const std::string name = runner.name(run); name.size() > kLongestName)
      throw UsageError("the name of a run, " + name.substr(0, 40) + "..., would have " +
                       std::to_string(name.size()) + " bytes, more than " + std::to_string(kLongestName) +
                       " (write some settings into the recipe)");
    at_place(o, run.meant->recipe, [&] {
      if (!names.insert(runner.name(run)).second)
        throw UsageError("two runs would be called " + runner.name(run) +
                         (recipes > 1 ? " (name each recipe once)" : " (set one key to other values)"));
    });
  }
  std::erase_if(runs, [&](const Run& run) { return left_out.contains(runner.name(run)); });
  if (runs.empty())
    throw Error("no recipe of the list can run (the models that they begin with are missing)");
  if (o.is_script) return write_script(runner.request(runs.front()));
  if (!is_sweep) return run_one(runner, runs.front());
  std::error_code error;
  fs::create_directories(runner.recipes(), error);
  if (error) throw Error(runner.recipes().string() + ": cannot be made: " + error.message());
  const std::size_t count = runs.size();
  if (!run_several(runner, o, std::move(runs)))
    throw Error("not all of the " + counted(static_cast<std::int64_t>(count), "run") +
                " were reached (the same command goes on with those that are missing)");
}

}  // namespace headwater::front
