// Every recipe: what each takes and which cannot run, said first; then one after the other, each after the
// one whose model it begins with; then a page of all and a table of what was expected and reached.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "cli/tool.hpp"
#include "families/registry.hpp"
#include "pipeline/children.hpp"
#include "pipeline/prerequisites.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/headwater/runs.hpp"

namespace headwater::front {

namespace {

struct Planned {
  Meant meant;
  Run run;
  RecipeNeeds needs;
  std::optional<double> minutes;
  std::string why_not;  // it cannot run; empty: it can
};

std::string in_words(double minutes) {
  if (minutes <= 1) return "a minute";
  return minutes < 120 ? format_fixed(minutes, 0) + " minutes" : format_fixed(minutes / 60, 0) + " hours";
}

std::string text_in_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

class All {
 public:
  All(const Options& o, const House& house) : o_(o), house_(house), runner_(o, house) {}
  void carry_out();

 private:
  void plan();
  bool is_there_already(const Planned& planned) const;
  bool can_run(const Planned& planned) const;
  void say_what_it_takes() const;
  bool run(const Run& run, const Options& options) const;
  void run_needed(const Planned& planned, const std::string& maker) const;
  bool show_results() const;

  const Options& o_;
  const House& house_;
  Runner runner_;
  std::vector<Planned> all_;  // in their order
};

void All::plan() {
  std::map<std::string, Planned> found;
  std::vector<std::pair<std::string, std::vector<std::string>>> makers;
  for (const std::string& name : house_.names()) {
    const fs::path file = house_.recipe(name);
    // As make recipe-NAME has it.
    Planned planned{meant_by(house_, house_.is_of_make ? file.string() : name), {}, {}, {}, {}};
    const std::vector<Run> runs = runs_of(o_, planned.meant, 0);
    planned.run = runs.front();
    planned.needs = needs_of(house_.root, read_recipe(file, o_.scale));
    planned.minutes = o_.scale == "quick" ? 0.25 : minutes_of(file);
    makers.emplace_back(name, planned.needs.makers);
    found.emplace(name, std::move(planned));
  }
  const fs::path data = o_.data.empty() ? "data/cache" : o_.data;
  const std::string mirror = text_in_environment("HEADWATER_DATA");
  std::map<std::string, std::string> why_not;
  for (const std::string& name : in_order(makers)) {
    Planned& planned = all_.emplace_back(std::move(found.at(name)));
    for (const std::string& set : planned.needs.sets) {
      if (planned.why_not.empty()) planned.why_not = missing_data(house_.root, set, data, mirror);
    }
    for (const std::string& maker : planned.needs.makers) {
      if (planned.why_not.empty() && why_not.contains(maker)) planned.why_not = maker + " cannot run";
    }
    if (!planned.why_not.empty()) why_not[name] = planned.why_not;
  }
  for (Planned& planned : all_) planned.run.meant = &planned.meant;
}

bool All::is_there_already(const Planned& planned) const {
  std::error_code error;
  return !o_.overwrites && fs::file_size(runner_.folder(planned.run) / "report.md", error) > 0 && !error;
}

bool All::can_run(const Planned& planned) const {
  return planned.why_not.empty() || is_there_already(planned);
}

// What each takes, and how long all of them.
void All::say_what_it_takes() const {
  double total = 0;
  int unmeasured = 0, missing = 0;
  for (const Planned& planned : all_) {
    const std::string name = planned.meant.file.stem().string();
    std::string said = name + ": " + (planned.minutes ? in_words(*planned.minutes) : "not measured");
    if (is_there_already(planned)) {
      said += "; finished before";
    } else if (!planned.why_not.empty()) {
      ++missing;
      said += "; cannot run: " + planned.why_not;
    } else if (planned.minutes) {
      total += *planned.minutes;
    } else {
      ++unmeasured;
    }
    cli::note(said);
  }
  cli::note(std::to_string(all_.size()) + " recipes, one after the other: about " + in_words(total) +
            " on two cores" +
            (unmeasured > 0 ? ", and " + std::to_string(unmeasured) + " that nobody has measured" : "") +
            (missing > 0 ? "; " + std::to_string(missing) + " cannot run, as their data are missing" : ""));
}

bool All::run(const Run& run, const Options& options) const {
  RunRequest request = Runner(options, house_).request(run);
  request.shows_commands = false;
  Children::start([&] { return status_of(request, carry_out_all); });
  const Ended ended = Children::wait().second;
  end_if_told();
  return ended.is_good();
}

// With another seed, or with keys that are set, the run that this one begins with is not one of these.
void All::run_needed(const Planned& planned, const std::string& maker) const {
  if (fs::exists(runner_.model_of(maker))) return;
  const std::string name = runner_.model_of(maker).parent_path().filename().string();
  cli::note(planned.meant.file.stem().string() + " reads the model of the run " + name);
  Options plain = o_;
  plain.words.clear();
  plain.seed.reset();
  const auto same =
      std::ranges::find_if(all_, [&](const Planned& other) { return other.meant.file.stem() == maker; });
  if (!run(Run{&same->meant, {}, {}}, plain)) cli::note(maker + " failed");
}

bool All::show_results() const {
  std::vector<std::string> page{(house_.programs / "report").string()}, table = page;
  table.emplace_back("--expected");
  for (const Planned& planned : all_) {
    if (!can_run(planned)) continue;
    page.push_back(runner_.folder(planned.run).string());
    table.push_back(page.back());
  }
  const std::string file = (runner_.recipes() / "report.html").string();
  page.insert(page.end(), {"--html", "--title", "recipes", "-o", file});
  if (!Children::run(page).is_good()) cli::note("the page of all, " + file + ", has runs that failed");
  return Children::run(table).is_good();
}

void All::carry_out() {
  plan();
  say_what_it_takes();
  const Children children;
  bool is_good = true;
  int left_out = 0;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const Planned& planned = all_[i];
    const std::string name = planned.meant.file.stem().string();
    cli::note(name + " (" + std::to_string(i + 1) + " of " + std::to_string(all_.size()) + ")");
    if (!can_run(planned)) {
      ++left_out;
      cli::note(name + " is left out; its data are missing");
      continue;
    }
    for (const std::string& maker : planned.needs.makers) run_needed(planned, maker);
    if (run(planned.run, o_)) continue;
    is_good = false;
    cli::note(name + " failed; the others go on");
  }
  const bool reached_all = show_results();
  if (!is_good || !reached_all) throw Error("not all recipes reached what they expect");
  if (left_out > 0)
    throw Error(counted(left_out, "recipe") + (left_out == 1 ? " was" : " were") +
                " left out, as their data are missing");
}

}  // namespace

void run_all(const Options& o) {
  for (const std::string& word : o.words) {
    if (word.find('=') == word.npos)
      throw UsageError("--all runs every recipe of ours, beside which only KEY=VALUE may stand, not " +
                       quote(word));
  }
  const House house = find_house();
  All(o, house).carry_out();
}

}  // namespace headwater::front
