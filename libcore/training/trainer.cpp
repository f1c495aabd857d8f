#include "training/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "metrics/registry.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/reduction/reduction.hpp"
#include "training/resume.hpp"

namespace headwater {

namespace {

// "; \"head.bias\" is not finite at element 7" for the first such parameter, or nothing.
std::string first_not_finite(const Parameters& parameters) {
  for (const auto& p : parameters.all()) {
    const Index at = kernels::find_not_finite(p->size(), p->value.data);
    if (at >= 0) return "; " + quote(p->name) + " is not finite at element " + std::to_string(at);
  }
  return {};
}

// One without state where nothing steps.
OptimizerSettings optimizer_of(const Recipe& recipe, const Objective& objective) {
  if (!objective.is_solved()) return recipe.training.optimizer;
  OptimizerSettings none;
  none.kind = OptimizerKind::sgd;
  return none;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Trainer::Trainer(const Recipe& recipe, Objective& objective, RunDirectory* directory,
                 const std::function<void()>& after_drawing, const Ranks& ranks)
    : recipe_(recipe),
      objective_(objective),
      directory_(directory),
      ranks_(ranks),
      log_columns_(log_columns(objective)),
      batches_(recipe.training, objective, Split::train),
      validation_batches_(recipe.training, objective, Split::validation),
      optimizer_(optimizer_of(recipe, objective), freeze(objective.parameters(), recipe.training.freeze),
                 ranks),
      gradients_(objective.parameters(), own_parts(), optimizer_.shares(), ranks.group) {
  objective_.parameters().initialize(recipe.seed);
  if (after_drawing) after_drawing();
  if (recipe.training.ema_decay > 0)
    average_.emplace(recipe.training.ema_decay, objective.parameters(), optimizer_);
  if (recipe.training.average_last > 0)
    epoch_average_.emplace(recipe.training.average_last, objective.parameters());
  const UnfreezeSettings& unfreeze = recipe.training.unfreeze;
  if (unfreeze.every_epochs > 0 || unfreeze.every_steps > 0)
    optimizer_.learn_after(steps_before(unfreeze, objective.parameters(), steps_per_epoch()));
  state_.data_hash = objective.data_hash();
  if (ranks_.group != nullptr) compare_with_ranks();  // before a step that needs equal sizes
}

std::int64_t Trainer::total_steps() const {
  const std::int64_t all = objective_.is_solved() ? 1 : steps_per_epoch() * recipe_.training.epochs;
  return recipe_.training.max_steps > 0 ? std::min(all, recipe_.training.max_steps) : all;
}

void Trainer::take_batch(std::int64_t step, const EpochBatches& batches,
                         std::vector<std::uint32_t>& to) const {
  const std::int64_t number = step - 1 - state_.epoch * steps_per_epoch();
  to.clear();
  if (number < steps_per_epoch() && step <= total_steps()) batches.take(number, to);
}

EpochBatches Trainer::batches_of_epoch(std::int64_t epoch) const {
  const std::size_t examples = objective_.examples(Split::train);
  if (!recipe_.training.shuffle) return batches_.evenly(ExampleOrder(static_cast<std::int64_t>(examples)));
  RandomStream stream{
      .seed = recipe_.seed, .purpose = Purpose::epoch_order, .step = static_cast<std::uint32_t>(epoch)};
  // Each law has a layer of its own, blocks all from theirs on.
  constexpr std::uint32_t kComputed = 1, kBlocks = 3;
  if (recipe_.training.shuffle_window > 0) {
    stream.layer = kBlocks;
    const auto window = static_cast<std::uint64_t>(recipe_.training.shuffle_window);
    return batches_.evenly(ExampleOrder(BlockShuffle(stream, examples, window)));
  }
  if (!objective_.has_equal_examples()) return batches_.evenly(ExampleOrder(random_order(stream, examples)));
  stream.layer = kComputed;
  return batches_.evenly(ExampleOrder(RandomPermutation(stream, examples)));
}

std::size_t Trainer::warm_up() {
  if (objective_.is_solved()) return 0;
  const LargestPart largest = largest_part(
      objective_, [this](std::int64_t epoch) { return batches_of_epoch(epoch); }, steps_per_epoch(),
      total_steps(), own_parts().of);
  for (const BatchSlot slot : {BatchSlot::second, BatchSlot::first})  // both grow to their full size
    objective_.prepare(Split::train, largest.batch, largest.part, slot);
  differentiate(0, BatchSlot::first);
  gradients_.make_room();
  return arena_.peak();
}

LossTotals Trainer::differentiate(std::int64_t step, BatchSlot slot) {
  arena_.reset();
  objective_.parameters().begin_step();
  Tape tape(arena_, Tape::Mode::record);
  const LossTotals totals =
      objective_.loss({tape, recipe_.seed, static_cast<std::uint32_t>(step)}, Split::train, slot);
  if (gradients_.sends_early()) {
    tape.backward([this, step] { gradients_.operation_done(step); });
  } else {
    tape.backward();
  }
  return totals;
}

std::string Trainer::not_finite_advice() const {
  const bool has_checkpoint = directory_ != nullptr && directory_->has_checkpoint();
  return std::string(has_checkpoint ? "nothing of this step is saved, the newest checkpoint stays as it is"
                                    : "nothing of this run is saved") +
         " (lower training.optimizer.learning_rate or set global_clipnorm)";
}

void Trainer::measure_gradients(std::int64_t step) {
  last_gradient_norm_ = optimizer_.gradient_norm();
  if (std::isfinite(last_gradient_norm_)) return;
  const std::string where = gradient_not_finite();
  throw Error("step " + std::to_string(step) +
              (where.empty() ? ": the norm of the gradient overflows" : ": the gradient" + where) + "; " +
              not_finite_advice());
}

LossTotals Trainer::train_step(std::span<const std::uint32_t> batch, std::span<const std::uint32_t> next,
                               Prefetcher& batches) {
  const std::int64_t step = state_.step + 1;
  optimizer_.begin_step(step);
  const OwnParts own = own_parts();
  if (own.is_empty(static_cast<Index>(batch.size()))) batches.start(next);
  const LossTotals totals = gradients_.sum([&](Index index) -> std::optional<LossTotals> {
    const BatchPart part{index, own.of, static_cast<Index>(batch.size())};
    if (part.begin() == part.end()) return std::nullopt;
    return differentiate(step, batches.take(next));
  });
  if (!std::isfinite(totals.loss)) {
    throw Error("step " + std::to_string(step) + ": the loss is " + format_number(totals.loss) +
                first_not_finite(objective_.parameters()) + "; " + not_finite_advice());
  }
  measure_gradients(step);
  last_rate_ = learning_rate(recipe_.training.schedule, recipe_.training.optimizer, objective_.width(), step,
                             length());
  if (average_) average_->before_step(step);
  optimizer_.step(last_rate_, step, last_gradient_norm_);
  gradients_.share_parameters(optimizer_.is_sparse());
  state_.step = step;
  return totals;
}

template <class F>
void Trainer::with_average(const F& body) {
  if (average_) average_->flush(state_.step);
  exchange_average();
  try {
    body();
  } catch (...) {
    exchange_average();
    throw;
  }
  exchange_average();
}

void Trainer::exchange_average() {
  if (average_) average_->exchange();
  if (epoch_average_) epoch_average_->exchange();
}

std::vector<Optimizer::State> Trainer::states() {
  std::vector<Optimizer::State> states = optimizer_.states();
  if (average_) states.push_back(average_->state());
  if (epoch_average_) {
    for (Optimizer::State& state : epoch_average_->states()) states.push_back(std::move(state));
  }
  return states;
}

ValidationFigures Trainer::validate() {
  ValidationFigures figures;
  if (validation_batches_.count() == 0) return figures;
  const EpochBatches list = validation_batches_.in_order();
  // Every size()-th batch is this rank's, but where a metric is no sum: then each rank measures them all.
  const bool is_shared = ranks_.group != nullptr && objective_.metrics().empty();
  const std::int64_t first = is_shared ? ranks_.rank : 0, stride = is_shared ? ranks_.size : 1;
  const auto parts = static_cast<Index>(recipe_.training.accumulate);
  std::vector<LossTotals> measured;
  std::vector<std::uint32_t> batch, next;  // outlive the packing of what they hold
  objective_.begin_validation();
  with_average([&] {
    Prefetcher batches(packer_, objective_, Split::validation, {.first = 0, .count = parts, .of = parts});
    list.take(first, next);
    batches.start(next);
    for (std::int64_t number = first; number < list.count(); number += stride) {
      std::swap(batch, next);
      list.take(number + stride, next);
      const auto size = static_cast<Index>(batch.size());
      const auto loss_of = [&](Index index, std::size_t) -> std::optional<LossTotals> {
        const BatchPart part{index, parts, size};
        if (part.begin() == part.end()) return std::nullopt;
        const BatchSlot slot = batches.take(next);
        arena_.reset();
        Tape tape(arena_, Tape::Mode::inference);
        return objective_.loss({tape, recipe_.seed, 0}, Split::validation, slot);
      };
      measured.push_back(*reduce_parts(0, parts, 0, loss_of, [](std::size_t) {}));
    }
    if (is_shared) share_validation(measured);
    for (const LossTotals& totals : measured) figures.add(totals);
    objective_.finish_validation(figures);
  });
  return figures;
}

void Trainer::append_log(const ValidationFigures* validation, const LogMoment::Pace& pace) {
  if (directory_ == nullptr) return;
  directory_->append_log(log_row(log_columns_, {.state = state_,
                                                .learning_rate = last_rate_,
                                                .gradient_norm = last_gradient_norm_,
                                                .validation = validation,
                                                .pace = pace}));
}

double Trainer::badness(const ValidationFigures& validation, const std::string& metric) const {
  const Metric* const wanted = find_metric(metric);
  if (wanted != nullptr && wanted->column == loss_metric().column) return validation.mean_loss();
  if (wanted == &accuracy_metric()) return wanted->badness(validation.accuracy());
  const std::span<const Metric* const> measured = objective_.metrics();
  for (std::size_t i = 0; i < std::min(measured.size(), validation.figures.size()); ++i) {
    if (measured[i]->name == metric && validation.figures[i])
      return measured[i]->badness(*validation.figures[i]);
  }
  throw Error("the validation examples have no " + metric + " (choose another metric)");
}

void Trainer::save(bool is_best) {
  if (!is_written_) return;
  optimizer_.flush(state_.step);
  const auto whole = [this](const Optimizer::State& state, std::size_t place) {
    return whole_state(state, place);
  };
  if (directory_ != nullptr) {
    with_average([&] {
      directory_->save(state_, objective_.parameters(), states(), is_best, steps_per_epoch(), whole);
    });
  } else {  // in step with the rank that writes
    for (const Optimizer::State& state : optimizer_.states()) {
      for (std::size_t place = 0; place < objective_.parameters().all().size(); ++place) whole(state, place);
    }
  }
  last_save_ = clock_();
  saved_step_ = state_.step;
}

bool Trainer::is_saved(bool is_best) const {
  return is_best || state_.is_finished || state_.epoch % recipe_.training.checkpoint.every_epochs == 0;
}

void Trainer::finish_epoch(const TrainerCallbacks& callbacks, const LogMoment::Pace& pace, bool is_due) {
  if (state_.epoch_totals.predicted == 0)
    throw Error("the training examples have nothing to predict (texts of two tokens or more)");
  if (epoch_average_) epoch_average_->end_epoch(state_.epoch);
  const ValidationFigures validation = validate();
  if (!std::isfinite(validation.loss)) {
    throw Error("step " + std::to_string(state_.step) + ": the validation loss is " +
                format_number(validation.loss) + first_not_finite(objective_.parameters()) + "; " +
                not_finite_advice());
  }
  const bool is_measured = validation.predicted > 0;
  const double value = is_measured ? badness(validation, recipe_.training.best_metric) : 0;
  const bool is_best = is_measured && (!state_.has_best || value < state_.best_value);
  if (is_best) {
    state_.has_best = true;
    state_.best_value = value;
    state_.best_step = state_.step;
  }
  append_log(&validation, pace);
  std::vector<std::string> samples;
  if (directory_ != nullptr) {
    with_average([&] { samples = objective_.samples(state_.epoch); });
    if (!samples.empty()) directory_->write_samples(state_.epoch + 1, samples);
  }
  EpochReport report{.epoch = state_.epoch + 1,
                     .epochs = objective_.is_solved() ? 1 : recipe_.training.epochs,
                     .step = state_.step,
                     .training = state_.epoch_totals,
                     .validation = validation,
                     .is_best = is_best,
                     .seconds = pace.seconds,
                     .tokens_per_second = pace.tokens_per_second,
                     .waiting_share = pace.waiting_share,
                     .samples = std::move(samples)};
  state_.last_loss = state_.epoch_totals.mean_loss();
  ++state_.epoch;
  state_.position = 0;
  state_.epoch_totals = {};
  report.stops_early = stops_early(validation);
  state_.is_finished =
      state_.epoch >= recipe_.training.epochs || state_.step >= total_steps() || report.stops_early;
  // Where nothing is measured the newest is the model.
  if (is_saved(is_best) || is_due) save(is_best || !is_measured);
  if (callbacks.after_epoch) callbacks.after_epoch(report);
}

bool Trainer::stops_early(const ValidationFigures& validation) {
  const EarlyStoppingSettings& rule = recipe_.training.early_stopping;
  if (rule.patience == 0 || validation.predicted == 0) return false;
  const std::string& metric = rule.metric.empty() ? recipe_.training.best_metric : rule.metric;
  const double value = badness(validation, metric);
  if (state_.stopping_epoch == 0 || value < state_.stopping_value) {
    state_.stopping_value = value;
    state_.stopping_epoch = state_.epoch;
  }
  return state_.epoch - state_.stopping_epoch >= rule.patience;
}

std::optional<std::string> Trainer::divergence() const {
  // A loss this small is no sign of it, however small the first was: of a model that knew the examples.
  constexpr double kTimes = 10, kMinFirst = 0.1;
  if (!state_.is_finished || !state_.first_loss || !state_.last_loss ||
      *state_.last_loss <= kTimes * std::max(*state_.first_loss, kMinFirst))
    return std::nullopt;
  return "the loss of the last epoch is " + format_fixed(*state_.last_loss, 4) +
         ", more than ten times the " + format_fixed(*state_.first_loss, 4) +
         " of the first step: the run has diverged (lower training.optimizer.learning_rate or set "
         "global_clipnorm)";
}

void Trainer::solve(const TrainerCallbacks& callbacks) {
  const auto start = std::chrono::steady_clock::now();
  state_.epoch_totals.add(objective_.solve());
  state_.step = 1;
  state_.first_loss = state_.epoch_totals.mean_loss();
  if (callbacks.after_step) {
    callbacks.after_step({.step = 1,
                          .total_steps = 1,
                          .epoch = 1,
                          .epochs = 1,
                          .loss = state_.epoch_totals.mean_loss(),
                          .useful_tokens = state_.epoch_totals.useful});
  }
  const double seconds = seconds_since(start);
  const auto tokens = static_cast<double>(state_.epoch_totals.useful);
  finish_epoch(callbacks, seconds > 0 ? LogMoment::Pace{seconds, tokens / seconds, 0} : LogMoment::Pace{},
               false);
}

TrainingOutcome Trainer::run(const TrainerCallbacks& callbacks) {
  clock_ = callbacks.clock ? callbacks.clock : steady_seconds;
  last_save_ = clock_();
  is_written_ = is_so_on_any_rank(directory_ != nullptr);
  if (resume()) {
    optimizer_.resumed_at(state_.step);
    if (average_) {
      average_->exchange();
      average_->resumed_at(state_.step);
    }
    if (epoch_average_) epoch_average_->resume_after(state_.epoch);
    if (callbacks.on_resume) callbacks.on_resume(state_.step);
  }
  if (directory_ != nullptr && !state_.is_finished)
    directory_->check_room(state_.step, length(), objective_.parameters(), bytes_of_all_states());
  const std::int64_t every = recipe_.training.checkpoint.every_steps;
  const double every_seconds = 60 * recipe_.training.checkpoint.every_minutes;
  const std::int64_t last_step = total_steps();
  std::vector<std::uint32_t> batch, next;  // outlive the packing of what they hold
  if (objective_.is_solved() && !state_.is_finished) solve(callbacks);
  while (!state_.is_finished) {
    const EpochBatches list = batches_of_epoch(state_.epoch);
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t tokens_at_start = state_.epoch_totals.useful;
    objective_.begin_epoch(state_.epoch);
    Prefetcher batches(packer_, objective_, Split::train, own_parts());
    const auto pace = [&] {
      const double seconds = seconds_since(start);
      const auto tokens = static_cast<double>(state_.epoch_totals.useful - tokens_at_start);
      if (!(seconds > 0)) return LogMoment::Pace{};
      return LogMoment::Pace{seconds, tokens / seconds, batches.waited_seconds() / seconds};
    };
    take_batch(state_.step + 1, list, next);
    batches.start(next);
    bool is_due = false;  // a checkpoint
    while (!next.empty()) {
      std::swap(batch, next);
      take_batch(state_.step + 2, list, next);
      LossTotals totals;
      with_hot_team([&] { totals = train_step(batch, next, batches); });
      state_.epoch_totals.add(totals);
      if (state_.step == 1) state_.first_loss = totals.mean_loss();
      state_.position += static_cast<std::int64_t>(batch.size());
      if (callbacks.after_step) {
        callbacks.after_step({.step = state_.step,
                              .total_steps = last_step,
                              .epoch = state_.epoch + 1,
                              .epochs = recipe_.training.epochs,
                              .loss = state_.epoch_totals.mean_loss(),
                              .useful_tokens = totals.useful});
      }
      is_due = (every > 0 && state_.step % every == 0) ||
               (every_seconds > 0 && is_so_on_any_rank(clock_() - last_save_ >= every_seconds));
      const bool is_epoch_end = state_.position >= list.examples() || state_.step >= last_step;
      if (is_epoch_end) break;
      if (state_.step % recipe_.training.log_every == 0) append_log(nullptr, pace());
      const bool stops = is_so_on_any_rank(callbacks.wants_stop && callbacks.wants_stop());
      if (stops || is_due) save(false);
      if (stops) return TrainingOutcome::stopped;
    }
    finish_epoch(callbacks, pace(), is_due);
    if (!state_.is_finished && is_so_on_any_rank(callbacks.wants_stop && callbacks.wants_stop())) {
      if (saved_step_ != state_.step) save(false);
      return TrainingOutcome::stopped;
    }
  }
  return TrainingOutcome::finished;
}

}  // namespace headwater
