// The directory of a training run: its lock, log.csv, checkpoints and the way back to the newest of them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/directory.hpp"
#include "recipe/recipe.hpp"
#include "tasks/task.hpp"
#include "training/optimizer.hpp"
#include "training/state.hpp"

namespace headwater {

enum class ExistingRun { resume, overwrite };

class RunDirectory {
 public:
  // Creates the directory where needed and locks it against other runs. `files` go into each checkpoint
  // beside the tensors; with them the checkpoint alone is a usable model. `tell` receives a sentence now and
  // then. Throws UsageError listing the keys that differ where the newest checkpoint belongs to another
  // recipe. `figure_names`: Objective::figure_names(), for which log.csv has columns.
  RunDirectory(fs::path directory, const Recipe& recipe, std::vector<DirectoryFile> files,
               std::span<const std::string_view> figure_names, ExistingRun existing,
               std::function<void(const std::string&)> tell);

  // Fills all from the newest complete checkpoint, and cuts log.csv back to its step. False where there
  // is none: the log starts anew. Throws Error where the checkpoint was made from other data or with another
  // tokenizer.
  bool resume(TrainingState& state, Parameters& parameters, const std::vector<Optimizer::State>& states);

  // Writes one checkpoint. Throws Error, and writes nothing, where a parameter or a state is not finite.
  void save(const TrainingState& state, const Parameters& parameters,
            const std::vector<Optimizer::State>& states, bool is_best);

  // Appends a row (without its line end) to log.csv.
  void append_log(const std::string& row);

  const fs::path& path() const { return directory_; }

 private:
  void start_log(std::int64_t last_step);
  void sync_log() const;
  void link_best() const;

  fs::path directory_;
  const Recipe& recipe_;
  std::vector<DirectoryFile> files_;
  std::string log_header_;
  std::function<void(const std::string&)> tell_;
  std::unique_ptr<FileLock> lock_;
  std::optional<Checkpoint> newest_;
};

// The columns of log.csv; each figure is one more, "validation_" before its name.
std::string log_header(std::span<const std::string_view> figure_names);

}  // namespace headwater
