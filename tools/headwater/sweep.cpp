// Several runs, so many at a time, and a table of them.
#include <chrono>
#include <map>
#include <set>

#include "cli/tool.hpp"
#include "pipeline/children.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"
#include "tools/headwater/runs.hpp"

namespace headwater::front {

namespace {

// The last line of a log that says why.
std::string last_words(const fs::path& log) {
  std::string text;
  try {
    text = read_file(log);
  } catch (const Error&) {
    return {};
  }
  std::string said;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty() && !line.ends_with(" shows how far it came")) said = line;
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
        begin(*todo_[next++]);
      if (!running_.empty()) take_one();
    }
    end_if_told();
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
      const int child = start(run, [](RecipeRun& shared) {
        if (shared.is_finished()) return kFinished;
        shared.prepare_shared();
        return 0;
      });
      const Ended ended = wait_for(child);
      if (ended.status == kFinished) {
        say(run, "finished before");
      } else if (ended.is_good()) {
        todo_.push_back(&run);
      } else {
        fail(run, ended);
      }
    }
  }

  int start(const Run& run, int (*work)(RecipeRun&)) const {
    const fs::path log = is_read_only(runner_.recipes()) ? fs::path() : runner_.log(run);
    return Children::start([&] { return status_of(runner_.request(run), work); }, log);
  }

  // There is no other one.
  static Ended wait_for(int child) {
    while (true) {
      const auto [ended_child, ended] = Children::wait();
      end_if_told();
      if (ended_child == child) return ended;
    }
  }

  void begin(const Run& run) {
    running_[start(run, carry_out_all)] = {&run, Clock::now()};
    say(run, "begins");
  }

  void take_one() {
    const auto [child, ended] = Children::wait();
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
    const Ended ended = wait_for(Children::start(words));
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

}  // namespace

bool run_several(const Runner& runner, const Options& o, std::vector<Run> runs) {
  return Sweep(runner, o, std::move(runs)).carry_out();
}

}  // namespace headwater::front
