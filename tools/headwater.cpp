// headwater: the way in: runs a recipe, or many settings of one, lists the recipes, writes a new one. Manual:
// tools/headwater.md.
#include "tools/headwater/headwater.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"

namespace headwater::front {

namespace {

struct CommandRow {
  std::string_view name;
  void (*run)(const Options&);
};

constexpr CommandRow kCommands[] = {{"run", run_recipe}, {"recipes", list_recipes}, {"new", write_starter}};

// A program without recipes beside it names none.
std::vector<std::string> recipe_names() {
  try {
    return find_house().names();
  } catch (const Error&) {
    return {};
  }
}

std::vector<cli::CommandWords> command_words() {
  const std::vector<std::string_view> kinds = starter_kinds();
  return {
      {"run", recipe_names(), true}, {"recipes", {}, false}, {"new", {kinds.begin(), kinds.end()}, false}};
}

void describe(cli::CommandLine& line, Options& o) {
  line.commands(command_words);
  line.add_option("command", o.command, "run, recipes or new").shown_as("COMMAND");
  line.add_option(
          "words", o.words,
          "of run: names or files of recipes, then keys that are set, as training.epochs=3; of new: what "
          "the recipe is for: " +
              alternatives(starter_kinds()))
      .shown_as("[NAME...]");
  line.group("Runs");
  line.add_option(
          "--array", o.arrays,
          "one run for each of these values; given again, one for each combination ([below](#many-runs))")
      .one_value_each()
      .shown_as("KEY=VALUES");
  line.add_option("-j,--jobs", o.jobs,
                  "of --array and several recipes: runs at a time, which share the processors evenly")
      .between(1, 256)
      .shown_as("N")
      .with_default();
  line.add_option("--scale", o.scale,
                  "quick: the recipe's cut-down version, which shows in a minute whether everything is there")
      .one_of({"full", "quick"})
      .with_default();
  line.add_option("--seed", o.seed, "another seed than the recipe's").shown_as("N");
  line.add_flag("--overwrite", o.overwrites, "start the run anew, from first weights, over any existing one");
  line.add_flag("--allow-empty", o.allows_empty, "leave out any number of examples without a token");
  line.add_flag("--all", o.is_all,
                "every recipe of ours, each after the one whose model it begins with ([below](#many-runs))");
  line.add_flag("--script", o.is_script,
                "print the run as a script for bash and run nothing ([below](#as-a-script))");
  line.group("Output");
  line.add_option("--models", o.models, "where runs go: to `recipes/NAME` there")
      .shown_as("FOLDER")
      .names_files()
      .with_default();
  line.add_option(
          "--data", o.data,
          "the data root (`data/cache` for a public set, the folder of the recipe for your own files)")
      .shown_as("FOLDER")
      .names_files();
  line.add_option("-o,--output", o.output, "the file, which must not exist; by default standard output")
      .writes();
  line.add_option("--threads", o.threads,
                  "threads of each run, 0 (default): one a processor, shared by the runs of --jobs; no "
                  "result depends on it")
      .group("Speed")
      .between(0, 1024)
      .shown_as("N");
  cli::add_quiet_option(line, o.is_quiet);
  line.condition("run", [&o] { return o.command != "recipes" && o.command != "new"; });
  line.condition("new", [&o] { return o.command != "recipes" && o.command != "run"; });
  line.goes_with(
      "--array --jobs --scale --seed --overwrite --allow-empty --models --data --threads --all --script",
      "run");
  line.goes_with("--output", "new");
  line.goes_with("words", "run new");
  line.condition(
      "which", [&o] { return o.command == "run"; }, "run");
  line.needs("which", "words --all", "headwater recipes lists ours; one of your own is FILE.yaml");
  line.condition(
      "jobs", [&o] { return o.jobs > 1; }, "--jobs above 1");
  line.goes_without("--all", "--array jobs --script", "it runs one after the other");
  line.needs_any("command", "nothing to do (run NAME, recipes, or new KIND; see --help)");
}

void run(const Options& o) {
  for (const CommandRow& row : kCommands) {
    if (row.name == o.command) return row.run(o);
  }
  if (is_recipe(o.command))
    throw UsageError(quote(o.command) + " is a recipe (headwater run " + o.command + ")");
  std::vector<std::string_view> names;
  for (const CommandRow& row : kCommands) names.push_back(row.name);
  throw UsageError(unknown_word("command", o.command, names));
}

}  // namespace

}  // namespace headwater::front

int main(int argc, char** argv) {
  using namespace headwater;
  return cli::tool_main<front::Options>(
      argc, argv,
      {"headwater", "run a recipe by its name or file, list the recipes, or begin one of your own",
       "headwater recipes\n"
       "headwater run phrasebook\n"
       "headwater run shakespeare-char training.epochs=3 model.width=64\n"
       "headwater run mnist-vit --array model.width=32,64,128 --array training.batch_sequences=16,64 -j 2\n"
       "headwater run imdb-methods\n"
       "headwater new classification -o reviews.yaml\n"
       "headwater run reviews.yaml --scale quick"},
      front::describe, front::run);
}
