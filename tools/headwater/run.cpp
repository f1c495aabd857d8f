// Runs of a recipe: one, or one for each combination of settings; and those of several recipes.
#include <algorithm>
#include <set>
#include <span>

#include "cli/lines.hpp"
#include "cli/tool.hpp"
#include "families/registry.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/headwater/runs.hpp"

namespace headwater::front {

namespace {

// Bytes of the name of a run: that of its log is 4 longer, and a file system takes 255.
constexpr std::size_t kLongestName = 251;

// The model of another run that one begins with, or reads texts by, where it is missing; empty: nothing is.
fs::path missing_model(const Runner& runner, const Run& run, const Recipe& recipe) {
  fs::path model = recipe.training.init_from;
  if (model.empty()) model = family_of(recipe.model).line_form(recipe.model).tokenizer_from;
  std::error_code none;
  if (model.empty() || fs::exists(runner.folder(run) / "model", none)) return {};
  const std::string maker = maker_of(runner.house().root, model.string());
  if (!maker.empty()) model = runner.model_of(maker);
  return fs::exists(model, none) ? fs::path() : model;
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
  if (o.words.empty())
    throw UsageError("run: which recipe? (headwater recipes lists ours; one of your own is FILE.yaml)");
  House house = find_house();
  const std::size_t listed = expand_list(house, o);
  const bool is_list = listed > 0;
  std::size_t recipes = std::max<std::size_t>(listed, 1);
  while (!is_list && recipes < o.words.size() && is_recipe(o.words[recipes])) ++recipes;
  const bool is_sweep = !o.arrays.empty() || recipes > 1 || is_list;
  if (o.is_script && is_sweep) throw UsageError("--script is of one run (name one recipe)");
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
