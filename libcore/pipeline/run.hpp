// A run of a recipe: from its data to its report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/children.hpp"
#include "pipeline/content.hpp"
#include "pipeline/experiment.hpp"
#include "pipeline/prerequisites.hpp"
#include "support/error.hpp"

namespace headwater {

// A program of a stage has failed and has said why.
class StageFailed : public Error {
 public:
  using Error::Error;
};

struct RunRequest {
  std::string typed;                 // the recipe as its user named it
  fs::path recipe;                   // its file
  fs::path house, bin, models, run;  // house: empty where it is the current folder
  fs::path data;                     // empty: data/cache, or the folder of the recipe
  std::string scale = "full";
  std::optional<std::uint64_t> seed;
  std::vector<std::string> changes;  // "training.epochs=3"
  std::int64_t threads = 0;
  bool is_quiet = false, overwrites = false, allows_empty = false, shows_commands = true;
  // Whether its user typed make: options have the names of its variables there.
  bool is_of_make = false;
  std::string program;                                // "headwater", as it was called
  std::function<void(const std::string&)> say, show;  // a line of its own; a command line or a report

  // An option as its user would type it.
  std::string option(const std::string& name, const std::string& value = "") const;
  // The command that runs a recipe of ours.
  std::string command_of(const std::string& name) const;
};

class RecipeRun {
 public:
  // Reads the recipe. Throws UsageError where it is wrong, Error where a model or data are missing.
  explicit RecipeRun(const RunRequest& request);

  // Whether the same command finds nothing to do. Then it removes what killed ones have left, where it can.
  bool is_finished();
  // Everything that other runs may share. Then the rest of the stages.
  void prepare();
  void carry_out();
  // The first part alone; the run stays as it is.
  void prepare_shared();
  // Shows the report of a finished run whose folder is read-only; false: it is another one.
  bool show_read_only();
  // The same as a script for bash.
  std::string script();

 private:
  Recipe read(const fs::path& tokenizers_of = {}) const;
  void find_models();
  void find_tokenizers();
  void find_data();
  Error no_model(const std::string& key, const fs::path& model, const std::string& maker) const;
  void check_models_of_data() const;
  void check_set() const;
  void check_vocabularies() const;

  std::vector<std::string> scripts_of(const std::string& set) const;
  bool is_prepared(const std::string& set, const std::vector<std::string>& files) const;
  bool are_sets_prepared() const;
  void prepare_set(const std::string& set, const std::string& seed, const std::vector<std::string>& files);
  void prepare_sets();
  std::vector<std::string> sets() const;

  void claim();
  bool try_claim();
  void look();
  void check_recipe_of_run() const;
  void take_given();
  void take_vocabularies(bool is_shared);
  std::string preparation() const;
  RunRecord record_of_now() const;
  bool has_same_recipe() const;
  void say_what_changed() const;
  void begin();
  void remove_unused() const;
  void look_at_shared();
  bool is_shared_made() const;
  void share_prepared();
  void check_unchanged(const std::string& name) const;
  void set_aside(const fs::path& file) const;
  void bring_back() const;

  bool is_done(const Stage& stage) const;
  void carry_out_stage(const Stage& stage);
  void carry_out_of_run(const Stage& stage);
  void make_shared(const Stage& stage, const std::string& file);
  void train(const Stage& stage);
  void after_failed_training(int status, const fs::path& draft, fs::file_time_type begin);
  int shell_status(const std::string& text, const fs::path& messages) const;
  fs::path draft_of(const fs::path& file) const;
  void publish(const Stage& stage) const;
  void link_here(const std::vector<fs::path>& files) const;

  // What is measured and said before training and the test begin.
  double milliseconds_of_texts(const fs::path& model, std::int64_t lines) const;
  void forecast_run(const RunStages& stages) const;
  void forecast_test() const;

  RunRequest r_;
  Experiment e_;
  std::vector<std::string> besides_;  // keys that are set here
  fs::path from_, encoder_;           // the weights that the run begins with; of a linear model
  std::string maker_, encoder_maker_, teacher_maker_;
  enum class Gives { nothing, files, folder, vocabularies, before } gives_ = Gives::nothing;
  std::optional<Claim> claim_;
  RunRecord before_, now_, shared_;
  struct Given {
    fs::path from;
    std::string name, bytes;  // of a folder "model/NAME"
  };
  std::vector<Given> given_;
  std::vector<fs::path> made_;  // by this command
};

}  // namespace headwater
