// Runs in one process, in parts, and on ranks that are threads: what they leave.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "local_group.hpp"
#include "scratch_directory.hpp"
#include "small_run.hpp"
#include "support/files.hpp"
#include "support/parallel.hpp"

namespace rank_runs {

using namespace headwater;

// The log without times and what the newest checkpoint holds.
using Results = std::map<std::string, std::string>;

inline Results results_of(const fs::path& directory) {
  Results results;
  results["log.csv"] = log_without_times(directory);
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"})
    results[name] = read_file(directory / "checkpoints" / "latest" / name);
  return results;
}

inline Results train(const Recipe& recipe, Objective& objective, std::int64_t accumulate, int threads) {
  const ScratchDirectory scratch;
  Recipe in_parts = recipe;
  in_parts.training.accumulate = accumulate;
  RunDirectory directory(scratch.path(), in_parts, {{"config.json", "{}\n"}},
                         log_header(log_columns(objective)), ExistingRun::resume, [](const std::string&) {});
  ThreadPool(threads).run([&] {
    Trainer trainer(in_parts, objective, &directory);
    trainer.warm_up();
    trainer.run({});
  });
  return results_of(scratch.path());
}

// The same on ranks, each with a model and data of its own. `stops` ends the run after so many steps; 0:
// none.
template <class MakeRun>
void train_on_ranks(const fs::path& path, const Recipe& recipe, const MakeRun& make_run, int ranks,
                    int threads, std::int64_t stops = 0) {
  std::vector<decltype(make_run())> runs;
  for (int rank = 0; rank < ranks; ++rank) runs.push_back(make_run());
  on_ranks(ranks, [&](ProcessGroup& group) {
    Objective& objective = runs[group.rank()]->objective;
    std::optional<RunDirectory> directory;
    if (group.rank() == 0)
      directory.emplace(path, recipe, std::vector<DirectoryFile>{{"config.json", "{}\n"}},
                        log_header(log_columns(objective)), ExistingRun::resume, [](const std::string&) {});
    ThreadPool(threads).run([&] {
      Trainer trainer(recipe, objective, directory ? &*directory : nullptr, {},
                      {.group = &group, .rank = group.rank(), .size = group.size()});
      trainer.warm_up();
      TrainerCallbacks callbacks;
      // One rank alone is told.
      callbacks.wants_stop = [&] {
        return stops > 0 && group.rank() == ranks - 1 && trainer.state().step >= stops;
      };
      trainer.run(callbacks);
    });
  });
}

inline void check_same(const Results& results, const Results& expected) {
  for (const auto& entry : expected) {
    INFO(entry.first);
    CHECK((results.at(entry.first) == entry.second));  // bytes are not for printing
  }
}

template <class MakeRun>
void check_parts(const Recipe& recipe, const MakeRun& make_run) {
  const auto run_in = [&](std::int64_t accumulate, int threads) {
    auto run = make_run();
    return train(recipe, run->objective, accumulate, threads);
  };
  const Results whole = run_in(1, 2);
  for (const auto& [accumulate, threads] : {std::pair{2, 1}, {4, 3}, {8, 2}}) {
    INFO(accumulate, " parts on ", threads, " threads");
    check_same(run_in(accumulate, threads), whole);
  }
  for (const auto& [ranks, accumulate, threads] : {std::tuple{2, 1, 2}, {4, 1, 1}, {8, 1, 1}, {2, 4, 1}}) {
    INFO(ranks, " ranks of ", threads, " threads, in ", accumulate, " parts");
    Recipe in_parts = recipe;
    in_parts.training.accumulate = accumulate;
    const ScratchDirectory scratch;
    train_on_ranks(scratch.path(), in_parts, make_run, ranks, threads);
    check_same(results_of(scratch.path()), whole);
  }
}

}  // namespace rank_runs
