// The directory of a training run: its lock, log.csv, checkpoints and the way back to the newest of them.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/directory.hpp"
#include "families/family.hpp"
#include "recipe/recipe.hpp"
#include "support/file_lock.hpp"
#include "support/run_messages.hpp"
#include "training/schedule.hpp"
#include "training/state.hpp"

namespace headwater {

enum class ExistingRun { resume, overwrite };

// The files of a run that are no part of a checkpoint.
inline constexpr std::array<std::string_view, 4> kFilesOfRun = {"log.csv", "samples.tsv", kMessagesFile,
                                                                kLockName};

class RunDirectory {
 public:
  // Creates the directory if needed and locks it against other runs. `files` go into each checkpoint beside
  // the tensors; with them the checkpoint alone is a usable model. `log_header` is the first line of log.csv,
  // as log_columns() has it. `tell` receives a sentence now and then.
  // Throws UsageError with the keys that differ if the newest checkpoint belongs to another recipe. Only the
  // run's checkpoints and its length may differ, the length if the schedule does not depend on it.
  // Throws Error if something else has a name that the run will write, such as a log.csv that no run wrote,
  // or if every checkpoint is damaged.
  RunDirectory(fs::path directory, const Recipe& recipe, std::vector<DirectoryFile> files,
               std::string log_header, ExistingRun existing, std::function<void(const std::string&)> tell);
  // Removes the directory again where it was made here and nothing was written into it.
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  // Fills all from the newest complete checkpoint, and cuts log.csv back to its step. False where there
  // is none: the log starts anew. Checkpoints that are to be overwritten go now, and not before: by now all
  // that could be wrong with the run has been found. Throws Error where the checkpoint was made from other
  // data or with another tokenizer, and where log.csv lacks rows that the checkpoint promises. `take`: where
  // ranks share states out.
  bool resume(TrainingState& state, Parameters& parameters, const std::vector<Optimizer::State>& states,
              const TakeNumbers& take = {});

  // Writes one checkpoint, and removes those that the recipe no longer keeps. Throws Error, and leaves the
  // checkpoints as they are, where a parameter or a state is not finite. `give`: where ranks share
  // states out; called for all parameters of a state, then of the next by name.
  void save(const TrainingState& state, const Parameters& parameters,
            const std::vector<Optimizer::State>& states, bool is_best, std::int64_t steps_per_epoch = 1,
            const GiveNumbers& give = {});

  // Throws Error where the disk has no room for the checkpoints that are to come.
  void check_room(std::int64_t step, const RunLength& length, const Parameters& parameters,
                  std::int64_t bytes_of_states) const;

  // Appends a row (without its line end) to log.csv.
  void append_log(const std::string& row);

  // Puts texts of an epoch, counted from 1, at the end of samples.tsv (libcore/FORMATS.md, Runs), whose lines
  // of this epoch and later ones go.
  void write_samples(std::int64_t epoch, std::span<const std::string> texts) const;

  const fs::path& path() const { return directory_; }
  // Whether a complete checkpoint is in the directory.
  bool has_checkpoint() const { return has_checkpoint_; }
  // What of the recipe is no longer as the newest checkpoint has it: "training.epochs: 5, was 3".
  const std::vector<std::string>& changes() const { return changes_; }
  // Whether the length of the run is among that.
  bool has_new_length() const { return has_new_length_; }
  // The bits version of the newest checkpoint where it is another one than this program's.
  std::optional<std::int64_t> other_bits_version() const { return other_bits_version_; }
  // training.epochs of the newest checkpoint's recipe; 0 where there is none.
  std::int64_t saved_epochs() const { return saved_epochs_; }
  // Whether a run began here and ended before its first checkpoint.
  bool starts_anew() const { return starts_anew_; }

 private:
  // Throws UsageError where a run of this recipe cannot go on from a checkpoint of that one.
  void compare_recipes(const Recipe& saved);
  // Takes note of a newest checkpoint that a program of another bits version wrote.
  void compare_bits_versions();
  // Throws Error where a file that the run adds to is not of a run.
  void check_own_files() const;
  // Throws Error where the best checkpoint is damaged. `last_best`: what was best before recovery.
  void check_best(std::optional<std::int64_t> last_best) const;
  // The rows of log.csv up to the step of this state, under the columns of this version.
  std::string kept_log(const TrainingState& state) const;
  void sync_log() const;
  std::vector<std::string> linked_names() const;
  void link_best() const;

  fs::path directory_;
  const Recipe& recipe_;
  std::vector<DirectoryFile> files_;
  std::string log_header_;
  std::function<void(const std::string&)> tell_;
  bool is_made_;  // was not there before
  std::unique_ptr<FileLock> lock_;
  std::optional<Checkpoint> newest_;
  std::vector<std::string> changes_;
  std::optional<std::int64_t> other_bits_version_;
  std::int64_t saved_epochs_ = 0;
  bool has_checkpoint_ = false, starts_anew_ = false, has_new_length_ = false, overwrites_ = false;
};

// The end of a message about a run that cannot go on to another length.
std::string another_run(const fs::path& directory);

}  // namespace headwater
