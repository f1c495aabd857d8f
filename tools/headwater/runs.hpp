// The runs of a command: recipes and what is set in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/run.hpp"
#include "tools/headwater/headwater.hpp"

namespace headwater::front {

struct Setting {
  std::string key, value;
  std::string text() const { return key + "=" + value; }
};

struct Meant {
  std::string recipe;  // as it was typed
  fs::path file;
  std::uint64_t own_seed;
};

// One run: a recipe, and which settings it has besides.
struct Run {
  const Meant* meant;
  std::vector<Setting> settings;
  std::optional<std::uint64_t> seed;
};

// The recipe that a word means. Throws UsageError where there is none.
Meant meant_by(const House& house, const std::string& word);

// The runs of all combinations of one recipe; the last array's values follow each other. Settings are the
// words from there on.
std::vector<Run> runs_of(const Options& o, const Meant& meant, std::size_t first_setting);

// The recipe of a run. Faults of it and of what is set are said here, in a line each and with their own exit
// status, before anything is made.
Recipe recipe_of(const Options& o, const Run& run);

class Runner {
 public:
  Runner(const Options& o, House house);

  std::string name(const Run& run) const;
  fs::path folder(const Run& run) const { return recipes() / name(run); }
  fs::path log(const Run& run) const { return recipes() / (name(run) + ".log"); }
  fs::path recipes() const { return fs::path(models_) / "recipes"; }  // the folder of all runs
  // That of another recipe of ours, at the same scale.
  fs::path model_of(const std::string& recipe) const;
  const House& house() const { return house_; }
  RunRequest request(const Run& run) const;

 private:
  std::int64_t threads() const;

  const Options& o_;
  House house_;
  std::string models_;
};

// What a process of a run ends with besides: whose stage has said why it failed; that has nothing to do.
inline constexpr int kStageFailed = 3, kFinished = 4;
// For a process of its own: the exit status after what was said.
int status_of(const RunRequest& request, int (*work)(RecipeRun&));
int carry_out_all(RecipeRun& run);
// Ends this program by the signal that came, if one did.
void end_if_told();

// One run, with what it prints.
void run_one(const Runner& runner, const Run& run);
// Several with a table of them; whether all are there in the end.
bool run_several(const Runner& runner, const Options& o, std::vector<Run> runs);
// Every recipe of ours, each after the one whose model it begins with, and a page and a table of all.
void run_all(const Options& o);

}  // namespace headwater::front
