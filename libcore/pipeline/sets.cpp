// The data of public sets: prepared once, by one command at a time.
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "pipeline/children.hpp"
#include "pipeline/run.hpp"
#include "support/directories.hpp"
#include "support/name_list.hpp"

namespace headwater {

// Those that a script of data/ prepares.
static std::vector<std::string> names_of_sets(const fs::path& house) {
  constexpr std::string_view kBegin = "prepare-";
  std::vector<std::string> names;
  std::error_code none;
  for (const fs::path& file : list_folder(house / "data", none)) {
    const std::string name = file.stem().string();
    if (name.starts_with(kBegin)) names.push_back(name.substr(kBegin.size()));
  }
  return names;
}
// Files of another set may lie there already.
void RecipeRun::check_set() const {
  const std::string& set = e_.recipe.data.set;
  const std::vector<std::string> known = names_of_sets(r_.house);
  if (set.empty() || std::ranges::find(known, set) != known.end() || are_sets_prepared()) return;
  throw Error(r_.recipe.string() +
              ": data.set: " + unknown_word("data set", set, {known.begin(), known.end()}));
}

// In a clone data are prepared again if the scripts are newer.
std::vector<std::string> RecipeRun::scripts_of(const std::string& set) const {
  std::error_code none;
  const fs::path house = r_.house.empty() ? "." : r_.house;
  if (!is_there("Makefile") || !fs::equivalent(house, ".", none)) return {};
  std::vector<std::string> scripts = {"data/prepare-" + set + ".sh", "data/common.sh", "data/pins.sha256"};
  for (const fs::path& file : list_folder(fs::path("data") / set, none)) {
    if (is_file(file)) scripts.push_back(file.string());
  }
  return scripts;
}

bool RecipeRun::is_prepared(const std::string& set, const std::vector<std::string>& files) const {
  const std::vector<std::string> scripts = scripts_of(set);
  return std::ranges::all_of(files, [&](const std::string& name) {
    const fs::path file = e_.data / name;
    if (!is_there(file)) return false;
    if (!file.filename().string().starts_with("train")) return true;
    std::error_code none;
    const fs::file_time_type made = fs::last_write_time(file, none);
    return std::ranges::none_of(scripts, [&](const std::string& script) {
      std::error_code error;
      const fs::file_time_type changed = fs::last_write_time(script, error);
      return !error && changed > made;
    });
  });
}

// That of the recipe, and others of whose texts a tokenizer is learned.
std::vector<std::string> RecipeRun::sets() const {
  const std::string& set = e_.recipe.data.set;
  std::vector<std::string> sets;
  if (set.empty()) return sets;
  sets.push_back(set);
  for (const std::string& file : e_.files.all()) {
    const std::string folder = file.substr(0, file.find('/'));
    const bool is_other = std::ranges::find(sets, folder) == sets.end();
    if (is_other && is_file(r_.house / "data" / ("prepare-" + folder + ".sh"))) sets.push_back(folder);
  }
  return sets;
}

bool RecipeRun::are_sets_prepared() const {
  return std::ranges::all_of(sets(),
                             [&](const std::string& set) { return is_prepared(set, e_.files.of_set(set)); });
}

void RecipeRun::prepare_set(const std::string& set, const std::string& seed,
                            const std::vector<std::string>& files) {
  if (is_prepared(set, files)) return;
  std::error_code error;
  fs::create_directories(e_.data, error);
  if (error) throw Error(e_.data.string() + ": cannot be made: " + error.message());
  // One claim for all sets: two of them may be made of the same raw files.
  const Claim claim = Claim::wait_for(e_.data / ".lock", e_.run.string(), [&](const std::string& who) {
    if (!r_.is_quiet) r_.say("waits until " + who + " has prepared data");
  });
  if (is_prepared(set, files)) return;
  fs::path script = r_.house / "data" / ("prepare-" + set + ".sh");
  std::vector<std::string> words = {"env", "BIN=" + r_.bin.string(), script.string(), e_.data.string()};
  if (!seed.empty()) words.push_back(seed);
  if (!Children::run(words).is_good()) throw StageFailed("");
  for (const std::string& name : files) {
    const fs::path file = e_.data / name;
    if (!is_there(file)) throw Error(file.string() + ": prepare-" + set + ".sh does not make it");
    fs::last_write_time(file, fs::file_time_type::clock::now(), error);
  }
}

void RecipeRun::prepare_sets() {
  const std::string seed = e_.files.split_seed ? std::to_string(*e_.files.split_seed) : "";
  for (const std::string& set : sets())
    prepare_set(set, set == e_.recipe.data.set ? seed : "", e_.files.of_set(set));
}

}  // namespace headwater
