// The training loop: epochs in an order drawn from the seed, validation, log, checkpoints, resume.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "recipe/recipe.hpp"
#include "training/batches.hpp"
#include "training/gradient_reduction.hpp"
#include "training/log_columns.hpp"
#include "training/optimizer.hpp"
#include "training/run_directory.hpp"
#include "training/schedule.hpp"
#include "training/state.hpp"
#include "training/weight_average.hpp"

namespace headwater {

// After each step.
struct StepReport {
  std::int64_t step = 0, total_steps = 0;
  std::int64_t epoch = 0, epochs = 0;  // epoch counts from 1 here
  double loss = 0;                     // mean of the epoch so far
  std::int64_t useful_tokens = 0;      // of this step
};

// After each epoch.
struct EpochReport {
  std::int64_t epoch = 0, epochs = 0, step = 0;
  LossTotals training;
  ValidationFigures validation;
  bool is_best = false;
  bool stops_early = false;  // the run ends here, by its recipe's early_stopping
  double seconds = 0, tokens_per_second = 0;
  double waiting_share = 0;               // of the seconds: spent waiting for batches to be packed
  std::vector<std::string> samples = {};  // what the model wrote (training.samples)
};

struct TrainerCallbacks {
  std::function<void(std::int64_t step)> on_resume;  // a checkpoint of that step was found
  std::function<void(const StepReport&)> after_step;
  std::function<void(const EpochReport&)> after_epoch;
  std::function<bool()> wants_stop;  // asked after each step: save and end
  // Seconds since any moment, by which checkpoint.every_minutes is counted; empty: a steady clock.
  std::function<double()> clock;
};

enum class TrainingOutcome { finished, stopped };

class Trainer {
 public:
  // `directory` may be null: nothing is written (benchmarks, ranks but the first). `after_drawing` may change
  // the first weights that were drawn (families/train_first_weights.hpp).
  Trainer(const Recipe& recipe, Objective& objective, RunDirectory* directory,
          const std::function<void()>& after_drawing = {}, const Ranks& ranks = {});

  std::int64_t steps_per_epoch() const { return objective_.is_solved() ? 1 : batches_.count(); }
  std::int64_t total_steps() const;
  RunLength length() const { return {.steps = total_steps(), .steps_per_epoch = steps_per_epoch()}; }

  // One pass forward and backward over the largest batch, or part of one, that the run will have, without an
  // update: touches every page that it will need. Returns the arena's size in bytes.
  std::size_t warm_up();
  std::int64_t bytes_of_gradients() const { return gradients_.bytes(); }
  std::int64_t bytes_of_state() const;  // of the optimizer and of averages
  // What a rank sends in a step that touches all parameters; 0 of one rank.
  std::int64_t bytes_of_exchange() const { return gradients_.bytes_exchanged(); }

  // Runs, or goes on from the newest complete checkpoint in the directory. Throws Error when the loss is no
  // longer finite.
  TrainingOutcome run(const TrainerCallbacks& callbacks);

  // Validates the average of the weights, where the recipe has one.
  ValidationFigures validate();
  const TrainingState& state() const { return state_; }
  // For a run that has ended: what to say where its loss ended ten times above its first value.
  std::optional<std::string> divergence() const;

 private:
  EpochBatches batches_of_epoch(std::int64_t epoch) const;
  // The batch of step `step` of the run, which lies in this epoch; empty after the last of the epoch or run.
  void take_batch(std::int64_t step, const EpochBatches& batches, std::vector<std::uint32_t>& to) const;
  OwnParts own_parts() const;
  // Throws Error where a rank has another recipe, other data or other weights to begin with.
  void compare_with_ranks();
  std::int64_t bytes_of_all_states() const;
  // Whether this is so on any rank.
  bool is_so_on_any_rank(bool is_so);
  // Looks for a checkpoint, which rank 0 gives to the others. False where there is none.
  bool resume();
  // The one step of an objective that is solved.
  void solve(const TrainerCallbacks& callbacks);
  // The sums of each validation batch that this rank measures, then those of all batches.
  void share_validation(std::vector<LossTotals>& totals);
  // A step over `batch`, whose first part is being packed; then the first of `next` is.
  LossTotals train_step(std::span<const std::uint32_t> batch, std::span<const std::uint32_t> next,
                        Prefetcher& batches);
  // Forward and backward over one part of a batch.
  LossTotals differentiate(std::int64_t step, BatchSlot slot);
  // The end of a message about numbers that are no longer finite.
  std::string not_finite_advice() const;
  // Throws Error where the gradients are not finite.
  void measure_gradients(std::int64_t step);
  // The first number of a gradient, of all ranks, that is not finite: " of \"head.bias\" is not finite at
  // element 7"; empty: each is.
  std::string gradient_not_finite();
  // is_due: a checkpoint is, whatever the epoch.
  void finish_epoch(const TrainerCallbacks& callbacks, const LogMoment::Pace& pace, bool is_due);
  // Whether the run ends after the epoch that was counted last.
  bool stops_early(const ValidationFigures& validation);
  // Runs body() while the parameters hold what the run gives: an average, where the recipe has one.
  template <class F>
  void with_average(const F& body);
  void exchange_average();
  // What a checkpoint holds beside the parameters that the run gives.
  std::vector<Optimizer::State> states();
  void save(bool is_best);
  // All numbers of a parameter's state, which the ranks give to rank 0.
  std::span<const Real> whole_state(const Optimizer::State& state, std::size_t place);
  // Whether the epoch that has just been counted ends with a checkpoint.
  bool is_saved(bool is_best) const;
  // A row of log.csv of this moment; `validation` is null inside an epoch.
  void append_log(const ValidationFigures* validation, const LogMoment::Pace& pace);
  // The figure of a validation that a recipe calls `metric`, the smaller the better.
  double badness(const ValidationFigures& validation, const std::string& metric) const;

  const Recipe& recipe_;
  Objective& objective_;
  RunDirectory* directory_;
  Ranks ranks_;
  std::vector<LogColumn> log_columns_;
  Batches batches_, validation_batches_;
  Optimizer optimizer_;
  GradientReduction gradients_;
  std::optional<WeightAverage> average_;
  std::optional<EpochAverage> epoch_average_;
  Arena arena_;
  BackgroundThread packer_;
  TrainingState state_;
  double last_rate_ = 0, last_gradient_norm_ = 0;
  std::function<double()> clock_;
  bool is_written_ = false;      // by this rank or another one
  std::vector<Real> whole_;      // of a parameter's state that ranks share out
  std::int64_t saved_step_ = 0;  // of the newest checkpoint of this process
  double last_save_ = 0;         // by the clock: the start of the run, or its newest checkpoint
};

}  // namespace headwater
