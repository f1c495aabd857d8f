// Runs of a recipe: one, or one for each combination of settings; and those of several recipes.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <thread>

#include "cli/output.hpp"
#include "cli/tool.hpp"
#include "families/registry.hpp"
#include "support/decimal.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/several_errors.hpp"
#include "support/split.hpp"
#include "tools/headwater/headwater.hpp"

namespace headwater::front {

namespace {

constexpr std::string_view kSpecial =
    ":;$%#'\"`\\&|()<>*?[]{}!=";  // to make, or to a shell (recipes/names.mk)
constexpr std::size_t kMostRuns = 1000;
// Bytes of the name of a run: that of its log is 4 longer, and a file system takes 255.
constexpr std::size_t kLongestName = 251;
// What recipes/resolve.sh ends with after its one line, and make, whatever failed.
constexpr int kRefused = 1, kMakeFailed = 2;

struct Setting {
  std::string key, value;
  std::string text() const { return key + "=" + value; }
};

struct Meant {
  std::string recipe;  // as make is told
  fs::path file;
  std::uint64_t own_seed;
};

// One run: a recipe, and which settings it has besides.
struct Run {
  const Meant* meant;
  std::vector<Setting> settings;
  std::optional<std::uint64_t> seed;
};

// What make cannot name, with the fix.
void check_plain(std::string_view what, std::string_view text, std::string_view allowed, const char* fix) {
  for (const char c : text) {
    const bool is_blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
    if (!is_blank && (kSpecial.find(c) == kSpecial.npos || allowed.find(c) != allowed.npos)) continue;
    throw UsageError(std::string(what) + " " + quote(text) + " has " +
                     (c == ' '   ? "a space"
                      : is_blank ? "a control character"
                                 : "the character " + std::string(1, c)) +
                     ", which make cannot name (" + fix + ")");
  }
}

// The same of a path, whose "~" at the beginning make takes for a home folder, behind "./" too.
void check_path(std::string_view what, const std::string& path, const char* fix) {
  check_plain(what, path, "", fix);
  if (fs::path(path).lexically_normal().string().starts_with('~'))
    throw UsageError(std::string(what) + " " + quote(path) +
                     " begins with ~, which make would take for a home folder (" + fix + ")");
}

std::uint64_t seed_of(std::string_view text) {
  std::uint64_t seed = 0;
  const std::string fault = read_number(text, seed);
  if (!fault.empty()) throw UsageError("seed: " + fault);
  return seed;
}

// A variable of make, which has another name here: "--scale quick" of SCALE=quick. "": it is none.
std::string option_of_variable(std::string_view name, std::string_view value) {
  constexpr std::string_view kWithValue[] = {"--scale", "--seed", "--threads", "--models", "--data"},
                             kWithout[] = {"--overwrite", "--allow-empty"};
  const auto is_named = [name](std::string_view option) {
    std::string variable;
    for (const char c : option.substr(2)) variable += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
    return name == variable;
  };
  for (const std::string_view option : kWithValue) {
    if (is_named(option)) return std::string(option) + " " + std::string(value);
  }
  for (const std::string_view option : kWithout) {
    if (is_named(option)) return std::string(option);
  }
  return name == "SET" ? std::string(value) : "";
}

Setting setting_of(std::string_view word, std::string_view form) {
  const std::size_t equals = word.find('=');
  if (equals != word.npos) {
    const std::string option = option_of_variable(word.substr(0, equals), word.substr(equals + 1));
    if (!option.empty())
      throw UsageError(quote(word) + " sets a variable of make, not a key of a recipe (write " + option +
                       ")");
  }
  const bool is_one = form == "KEY=VALUE";  // whose value may be empty: training.init_from=
  if (equals == word.npos || equals == 0 || (!is_one && equals + 1 == word.size()))
    throw UsageError(quote(word) + " is no " + std::string(form) +
                     " (training.epochs=" + (is_one ? "3" : "3,5,10") + ", without spaces)");
  check_plain("the setting", word.substr(equals + 1), "=", "write it into a recipe");
  check_plain("the key", word.substr(0, equals), "", "keys are words with points between");
  return {std::string(word.substr(0, equals)), std::string(word.substr(equals + 1))};
}

// The runs of all combinations of one recipe; the last array's values follow each other.
std::vector<Run> runs_of(const Options& o, const Meant& meant, std::size_t first_setting) {
  std::vector<Run> runs{{&meant, {}, o.seed}};
  std::set<std::string> keys;
  const auto take = [&](const std::string& key) {
    if (!keys.insert(key).second) throw UsageError("the key " + key + " is set twice (once is enough)");
    if (key == "seed" && o.seed) throw UsageError("both --seed and seed= (one of them)");
  };
  const auto add = [](Run& run, const Setting& setting) {
    if (setting.key == "seed") {
      run.seed = seed_of(setting.value);
    } else {
      run.settings.push_back(setting);
    }
  };
  for (std::size_t i = first_setting; i < o.words.size(); ++i) {
    const Setting setting = setting_of(o.words[i], "KEY=VALUE");
    take(setting.key);
    add(runs.front(), setting);
  }
  for (const std::string& array : o.arrays) {
    const Setting all = setting_of(array, "KEY=VALUES");
    take(all.key);
    const std::vector<std::string_view> values = split(all.value, ',');
    for (auto value = values.begin(); value != values.end(); ++value) {
      if (value->empty())
        throw UsageError("--array: " + array + ": an empty value (values stand between commas)");
      if (std::find(values.begin(), value, *value) != value)
        throw UsageError("--array: " + array + ": " + quote(*value) + " stands twice (remove one)");
    }
    if (runs.size() * values.size() > kMostRuns)
      throw UsageError("--array: more than " + std::to_string(kMostRuns) + " runs (leave out some values)");
    std::vector<Run> next;
    for (const Run& run : runs) {
      for (const std::string_view value : values) add(next.emplace_back(run), {all.key, std::string(value)});
    }
    runs = std::move(next);
  }
  return runs;
}

// The seed that the recipe names, 1 where it names none, as recipes/stages.mk reads it.
std::uint64_t own_seed(const fs::path& recipe) {
  constexpr std::string_view kKey = "seed:";
  const std::string text = read_any_file(recipe, 1 << 20);
  for (std::string_view line : split(text, '\n')) {
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(std::min(line.find_first_not_of(' ', kKey.size()), line.size()));
    std::uint64_t seed = 0;
    if (read_number(std::string(line.substr(0, line.find_first_not_of("0123456789"))), seed).empty())
      return seed;
  }
  return 1;
}

// As recipes/stages.mk names the folder of the run.
std::string name_of_run(const Options& o, const Run& run) {
  std::string name = fs::path(run.meant->recipe).filename().string();
  if (const std::size_t point = name.rfind('.'); point != name.npos) name.resize(point);
  if (run.seed && *run.seed != run.meant->own_seed) name += "-seed-" + std::to_string(*run.seed);
  if (o.scale == "quick") name += "-quick";
  for (const Setting& setting : run.settings) {
    std::string part = "-" + setting.text();
    std::replace(part.begin(), part.end(), '=', '-');
    std::replace(part.begin(), part.end(), '/', '-');
    name += part;
  }
  return name;
}

// The recipe of a run. Faults of it and of what is set are said here, in a line each and with their own exit
// status, before anything is made.
Recipe recipe_of(const Options& o, const Run& run) {
  std::vector<std::string> changes;
  if (run.seed) changes.push_back("seed=" + std::to_string(*run.seed));
  for (const Setting& setting : run.settings) changes.push_back(setting.text());
  const auto as_typed = [](const std::string& line) {
    constexpr std::string_view kOption = "--set ";
    return line.starts_with(kOption) ? line.substr(kOption.size()) : line;
  };
  try {
    return read_recipe(run.meant->file, o.scale, changes);
  } catch (const SeveralErrors& errors) {
    std::vector<std::string> lines;
    for (const std::string& line : errors.lines()) lines.push_back(as_typed(line));
    throw SeveralErrors(std::move(lines));
  } catch (const UsageError& error) {
    throw UsageError(as_typed(error.what()));
  }
}

class Runner {
 public:
  Runner(const Options& o, House house) : o_(o), house_(std::move(house)), models_(o.models) {
    while (models_.size() > 1 && models_.ends_with('/')) models_.pop_back();
  }

  std::string name(const Run& run) const { return name_of_run(o_, run); }
  fs::path folder(const Run& run) const { return recipes() / name(run); }
  fs::path log(const Run& run) const { return recipes() / (name(run) + ".log"); }
  fs::path recipes() const { return fs::path(models_) / "recipes"; }  // the folder of all runs
  const House& house() const { return house_; }

  // Every variable that stages.mk reads is said, so that none comes from the environment.
  std::vector<std::string> make(const Run& run, const std::string& target, bool is_quiet) const {
    std::string settings;
    for (const Setting& setting : run.settings) settings += (settings.empty() ? "" : " ") + setting.text();
    std::vector<std::string> words{(house_.stages().parent_path() / "resolve.sh").string(),
                                   run.meant->recipe,
                                   folder(run).string(),
                                   target,
                                   "make",
                                   "--no-print-directory",
                                   "-f",
                                   house_.stages().string()};
    if (is_quiet) words.emplace_back("--silent");
    for (const auto& [name, value] : std::initializer_list<std::pair<std::string, std::string>>{
             {"HEADWATER", std::string(cli::tool_name())},
             {"RECIPE", run.meant->recipe},
             {"BIN", house_.programs.string()},
             {"MODELS", models_},
             {"SCALE", o_.scale},
             {"SEED", run.seed ? std::to_string(*run.seed) : ""},
             {"SET", settings},
             {"THREADS", std::to_string(threads())},
             {"QUIET", o_.is_quiet ? "1" : ""},
             {"OVERWRITE", o_.overwrites ? "1" : ""},
             {"ALLOW_EMPTY", o_.allows_empty ? "1" : ""}})
      words.push_back(name + "=" + value);
    if (!o_.data.empty()) words.push_back("DATA=" + o_.data);
    return words;
  }

 private:
  std::int64_t threads() const {
    if (o_.threads) return *o_.threads;
    if (o_.jobs <= 1) return 0;
    return std::max<std::int64_t>(1, std::thread::hardware_concurrency() / static_cast<unsigned>(o_.jobs));
  }

  const Options& o_;
  House house_;
  std::string models_;
};

void run_one(const Runner& runner, const Options& o, const Run& run) {
  Children children;
  children.start(runner.make(run, "report", o.is_quiet));
  const Ended ended = children.wait().second;
  Children::end_if_told();
  if (ended.signal != 0) throw Error("make ended by signal " + std::to_string(ended.signal));
  if (ended.status == kRefused) std::exit(kRefused);
  if (ended.status == kMakeFailed) throw Error(runner.name(run) + ": failed; the lines above say why");
  if (ended.status != 0) throw Error("make ended with status " + std::to_string(ended.status));
}

// The last line of a log that is one of a program, not of make.
std::string last_words(const fs::path& log) {
  std::string text;
  try {
    text = read_file(log);
  } catch (const Error&) {
    return {};
  }
  std::string said;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty() && !line.starts_with("make") && !line.ends_with(" shows how far it came")) said = line;
  }
  return said;
}

class Sweep {
 public:
  Sweep(const Runner& runner, const Options& o, std::vector<Run> runs)
      : runner_(runner), o_(o), runs_(std::move(runs)) {}

  // Whether all runs are there in the end.
  bool carry_out() {
    prepare();
    for (std::size_t next = 0; (next < todo_.size() && !Children::is_told()) || !running_.empty();) {
      while (next < todo_.size() && running_.size() < static_cast<std::size_t>(o_.jobs) &&
             !Children::is_told())
        start(*todo_[next++]);
      if (!running_.empty()) take_one();
    }
    Children::end_if_told();
    show_table();
    return failed_.empty();
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    const Run* run;
    Clock::time_point begin;
  };

  // Which runs are finished already; the data, tokenizers and ids of the others, one after the other, since
  // they may be the same.
  void prepare() {
    for (const Run& run : runs_) {
      std::vector<std::string> question =
          runner_.make(run, (runner_.folder(run) / "report.md").string(), true);
      question.emplace_back("--question");
      std::error_code none;
      if (!o_.overwrites && fs::exists(runner_.folder(run) / "report.md", none) &&
          call(question, "/dev/null").is_good()) {
        say(run, "finished before");
        continue;
      }
      Children::end_if_told();
      if (const Ended ended = call(runner_.make(run, "inputs", false), runner_.log(run)); ended.is_good()) {
        todo_.push_back(&run);
      } else {
        Children::end_if_told();
        fail(run, ended);
      }
    }
  }

  Ended call(const std::vector<std::string>& arguments, const fs::path& log) {
    children_.start(arguments, log);
    return children_.wait().second;
  }

  void start(const Run& run) {
    running_[children_.start(runner_.make(run, "report", false), runner_.log(run))] = {&run, Clock::now()};
    say(run, "begins");
  }

  void take_one() {
    const auto [child, ended] = children_.wait();
    const Running running = running_.at(child);
    running_.erase(child);
    if (Children::is_told()) return;
    if (!ended.is_good()) return fail(*running.run, ended);
    const std::chrono::duration<double> seconds = Clock::now() - running.begin;
    say(*running.run, "done in " + format_fixed(seconds.count(), 0) + " s");
  }

  void fail(const Run& run, const Ended& ended) {
    failed_.insert(&run);
    const fs::path log = runner_.log(run);
    const std::string said = last_words(log);
    cli::note(runner_.name(run) + ": failed" +
              (ended.signal != 0 ? ", ended by signal " + std::to_string(ended.signal) : "") + " (" +
              log.string() + ")" + (said.empty() ? "" : ": " + said));
  }

  void say(const Run& run, const std::string& what) {
    if (!o_.is_quiet) cli::note(runner_.name(run) + ": " + what);
  }

  void show_table() {
    std::vector<std::string> words{(runner_.house().programs / "report").string(), "--runs"};
    std::error_code none;
    // One that failed has a reason there, where training has begun; a report is of what was there before.
    for (const Run& run : runs_) {
      const fs::path folder = runner_.folder(run);
      const bool has_begun =
          fs::exists(folder / "model" / "log.csv", none) && !fs::exists(folder / "report.md", none);
      if (!failed_.contains(&run) || has_begun) words.push_back(folder.string());
    }
    if (words.size() == 2) return;
    children_.start(words);
    const Ended ended = children_.wait().second;
    Children::end_if_told();
    if (!ended.is_good() && failed_.empty())
      throw Error("the table of the runs failed; the line above says why");
  }

  const Runner& runner_;
  const Options& o_;
  std::vector<Run> runs_;
  std::vector<const Run*> todo_;
  std::map<int, Running> running_;
  std::set<const Run*> failed_;
  Children children_;
};

// The model of another run that one begins with, or reads texts by, where it is missing; empty: nothing is.
fs::path missing_model(const Options& o, const Runner& runner, const Run& run, const Recipe& recipe) {
  fs::path model = recipe.training.init_from;
  if (model.empty()) model = family_of(recipe.model).line_form(recipe.model).tokenizer_from;
  std::error_code none;
  if (model.empty() || fs::exists(runner.folder(run) / "model", none)) return {};
  // As recipes/resolve.sh finds the run of another recipe of ours.
  const std::string maker = model.parent_path().filename().string();
  if (model == fs::path("models") / "recipes" / maker / "model")
    model = runner.recipes() / (maker + (o.scale == "quick" ? "-quick" : "")) / "model";
  return fs::exists(model, none) ? fs::path() : model;
}

// Which recipe was meant: the one that is misspelled or cut short, or those of which it is a part.
std::string near_names(const std::string& typed, const std::vector<std::string>& names) {
  std::string_view nearest = nearest_word(typed, names);
  std::string longer;
  int found = 0;
  for (const std::string& name : names) {
    if (!nearest.empty() || typed.size() < 3 || name.find(typed) == std::string::npos) continue;
    longer += (found++ == 0 ? "" : ", ") + name;
  }
  if (found == 1) nearest = longer;
  if (!nearest.empty()) return "; did you mean " + quote(nearest) + "?";
  return found > 1 ? "; there are " + longer
                   : std::string(" (headwater recipes lists them; a file is ./FILE or FILE.yaml)");
}

// The recipe's file, where it may be read from here.
fs::path file_of(const House& house, const std::string& recipe) {
  if (!is_name(recipe)) {
    check_path("the recipe", recipe, "take another path, or a link to it");
    std::error_code none;
    // As read_recipe has it: which recipe to run is part of the call.
    if (!fs::exists(recipe, none)) throw UsageError(recipe + ": no such file");
    if (fs::is_directory(recipe, none)) throw UsageError(recipe + ": a folder, not a file");
    return recipe;
  }
  const std::vector<std::string> names = house.names();
  if (std::find(names.begin(), names.end(), recipe) != names.end()) return house.recipe(recipe);
  std::error_code none;
  if (fs::exists(recipe, none))
    throw UsageError("no recipe is called " + quote(recipe) + " (a file of that name is ./" + recipe + ")");
  std::vector<std::string> known = house.lists();
  known.insert(known.end(), names.begin(), names.end());
  throw UsageError("no recipe is called " + quote(recipe) + near_names(recipe, known));
}

}  // namespace

void run_recipe(const Options& given) {
  Options o = given;
  if (o.words.empty())
    throw UsageError("run: which recipe? (headwater recipes lists ours; one of your own is FILE.yaml)");
  House house = find_house();
  const bool is_list = expand_list(house, o);
  std::size_t recipes = 1;
  while (recipes < o.words.size() && is_recipe(o.words[recipes])) ++recipes;
  check_path("--models", o.models, "take another folder, or a link to it");
  check_path("--data", o.data, "take another folder, or a link to it");
  const bool is_sweep = !o.arrays.empty() || recipes > 1 || is_list;
  if (o.jobs > 1 && !is_sweep)
    throw UsageError("--jobs goes with --array or several recipes (one run is one job)");
  const Meant none{};
  (void)runs_of(o, none, recipes);  // whose faults come first
  std::vector<Meant> meant;
  for (const std::string& word : std::span(o.words).first(recipes)) {
    const fs::path file = file_of(house, word);
    // In a clone by its file, so that the run is the one of make recipe-NAME.
    meant.push_back({house.root.empty() ? file.string() : word, file, own_seed(file)});
  }
  std::vector<Run> runs;
  for (const Meant& each : meant) {
    for (Run& run : runs_of(o, each, recipes)) runs.push_back(std::move(run));
  }
  const Runner runner(o, house);
  for (const char c : std::string_view("'$#\n")) {
    for (const fs::path& path : {runner.house().root, runner.house().programs}) {
      if (path.string().find(c) != std::string::npos)
        throw Error(path.string() + ": has a character that make cannot name (install it elsewhere)");
    }
  }
  std::set<std::string> names, left_out;
  for (const Run& run : runs) {
    const Recipe recipe = recipe_of(o, run);
    if (const fs::path model = missing_model(o, runner, run, recipe); is_list && !model.empty()) {
      left_out.insert(runner.name(run));
      if (!o.is_quiet) cli::note(runner.name(run) + ": left out: " + model.string() + ": no such model");
    }
    if (const std::string name = runner.name(run); name.size() > kLongestName)
      throw UsageError("the name of a run, " + name.substr(0, 40) + "..., would have " +
                       std::to_string(name.size()) + " bytes, more than " + std::to_string(kLongestName) +
                       " (write some settings into the recipe)");
    if (!names.insert(runner.name(run)).second)
      throw UsageError("two runs would be called " + runner.name(run) +
                       (recipes > 1 ? " (name each recipe once)" : " (set one key to other values)"));
  }
  std::erase_if(runs, [&](const Run& run) { return left_out.contains(runner.name(run)); });
  if (runs.empty())
    throw Error("no recipe of the list can run (the models that they begin with are missing)");
  for (const char* const variable : {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEFILES", "GNUMAKEFLAGS", "DATA"})
    ::unsetenv(variable);
  if (!is_sweep) return run_one(runner, o, runs.front());
  std::error_code error;
  fs::create_directories(runner.recipes(), error);
  if (error) throw Error(runner.recipes().string() + ": cannot be made: " + error.message());
  const std::size_t count = runs.size();
  Sweep sweep(runner, o, std::move(runs));
  if (!sweep.carry_out())
    throw Error("not all of the " + counted(static_cast<std::int64_t>(count), "run") +
                " were reached (the same command goes on with those that are missing)");
}

}  // namespace headwater::front
