// The loop over an objective that only writes down what it is asked for.
#include "training/trainer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "error_text.hpp"
#include "families/classifier/directory.hpp"
#include "families/translator/directory.hpp"
#include "metrics/registry.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"
#include "trainer_callbacks.hpp"

using namespace headwater;

namespace {

using Batch = std::vector<std::uint32_t>;

class Recorder : public Objective {
 public:
  Recorder(std::size_t train, std::size_t validation) : train_(train), validation_(validation) {
    parameter_ = parameters_.declare("w", {1}, 1, 1, Initializer::zeros);
    parameters_.allocate(true);
  }
  Parameters& parameters() override { return parameters_; }
  std::int64_t width() const override { return 1; }
  std::size_t examples(Split split) const override { return split == Split::train ? train_ : validation_; }
  std::int64_t tokens(Split, std::span<const std::uint32_t> chosen) const override {
    return static_cast<std::int64_t>(chosen.size());
  }
  std::string data_hash() const override { return "none"; }
  void prepare(Split, std::span<const std::uint32_t> chosen, const BatchPart& part, BatchSlot slot) override {
    chosen = chosen.subspan(part.begin(), static_cast<std::size_t>(part.end() - part.begin()));
    if (fails_at >= 0 && packed_count == fails_at) throw Error("data.ids: a batch that cannot be packed");
    ++packed_count;
    std::this_thread::sleep_for(packing_time);
    packed_[slot == BatchSlot::first ? 0 : 1].assign(chosen.begin(), chosen.end());
  }
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override {
    const Batch& chosen = packed_[slot == BatchSlot::first ? 0 : 1];
    (split == Split::train ? trained : validated).emplace_back(chosen.begin(), chosen.end());
    if (context.tape.is_recording()) {
      Tape::slot(*parameter_).matrix.data[0] = 1;
      steps.push_back(context.step);
    }
    std::this_thread::sleep_for(loss_time);
    LossTotals totals;
    totals.predicted = totals.useful = static_cast<std::int64_t>(chosen.size());
    totals.loss = validation_loss(split) * static_cast<double>(chosen.size());
    return totals;
  }

  std::span<const Metric* const> metrics() const override {
    static const std::array<const Metric*, 2> kMetrics{find_metric("macro_f1"), find_metric("roc_auc")};
    return kMetrics;
  }
  void begin_validation() override { ++validations; }
  void finish_validation(ValidationFigures& figures) override {
    if (macro_f1s.empty()) return;
    figures.figures = {macro_f1s.at(validations - 1), roc_aucs.at(validations - 1)};
  }

  std::vector<Batch> trained, validated;
  std::vector<double> macro_f1s, roc_aucs;  // of each epoch
  std::size_t validations = 0;
  std::vector<std::uint32_t> steps;
  std::vector<double> training_losses;    // of each step
  std::vector<double> validation_losses;  // of each epoch
  int fails_at = -1;                      // number of the batch whose packing throws
  std::atomic<int> packed_count = 0;
  std::chrono::milliseconds packing_time{0}, loss_time{0};  // of each batch

 private:
  double validation_loss(Split split) const {
    if (split == Split::train && !training_losses.empty()) return training_losses.at(trained.size() - 1);
    if (split == Split::train || validation_losses.empty()) return 1;
    const std::size_t batches = (validation_ + 3) / 4;
    return validation_losses.at((validated.size() - 1) / batches);
  }
  std::size_t train_, validation_;
  Parameters parameters_;
  Parameter* parameter_;
  Batch packed_[2];
};

TrainerCallbacks after_epoch(std::function<void(const EpochReport&)> f) {
  TrainerCallbacks callbacks;
  callbacks.after_epoch = std::move(f);
  return callbacks;
}

Recipe recipe_of(std::int64_t epochs) {
  Recipe recipe;
  recipe.model = model_section(EncoderDecoderSettings());
  recipe.training.epochs = epochs;
  recipe.training.batch_sequences = 4;
  return recipe;
}

Batch joined(const std::vector<Batch>& batches, std::size_t begin, std::size_t end) {
  Batch all;
  for (std::size_t i = begin; i < end; ++i) all.insert(all.end(), batches[i].begin(), batches[i].end());
  return all;
}

Batch ascending(std::size_t count) {
  Batch all(count);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

}  // namespace

TEST_CASE("an epoch takes every example once, in an order of its own") {
  Recorder objective(18, 9);
  const Recipe recipe = recipe_of(3);
  Trainer trainer(recipe, objective, nullptr);
  CHECK(trainer.steps_per_epoch() == 5);
  CHECK(trainer.total_steps() == 15);
  CHECK(trainer.run({}) == TrainingOutcome::finished);
  REQUIRE(objective.trained.size() == 15);
  std::vector<Batch> orders;
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    // 18 examples in 5 batches: no small rest
    for (std::size_t i = epoch * 5; i < epoch * 5 + 5; ++i)
      CHECK((objective.trained[i].size() == 3 || objective.trained[i].size() == 4));
    Batch order = joined(objective.trained, epoch * 5, epoch * 5 + 5);
    orders.push_back(order);
    std::sort(order.begin(), order.end());
    CHECK(order == ascending(18));
  }
  CHECK(orders[0] != orders[1]);
  CHECK(orders[1] != orders[2]);
  CHECK(orders[0] != ascending(18));
  CHECK(objective.steps.front() == 1);
  CHECK(objective.steps.back() == 15);
  REQUIRE(objective.validated.size() == 9);
  CHECK(joined(objective.validated, 0, 3) == ascending(9));
}

TEST_CASE("without shuffle every epoch takes the examples in the order of the data") {
  Recorder objective(18, 9);
  Recipe recipe = recipe_of(2);
  recipe.training.shuffle = false;
  Trainer trainer(recipe, objective, nullptr);
  CHECK(trainer.run({}) == TrainingOutcome::finished);
  REQUIRE(objective.trained.size() == 10);
  CHECK(joined(objective.trained, 0, 5) == ascending(18));
  CHECK(joined(objective.trained, 5, 10) == ascending(18));
}

TEST_CASE("a batch that cannot be packed ends the run after the steps before it") {
  for (const int fails_at : {0, 1, 7}) {
    Recorder objective(18, 9);
    objective.fails_at = fails_at;
    const Recipe recipe = recipe_of(3);
    Trainer trainer(recipe, objective, nullptr);
    CHECK(error_text([&] { trainer.run({}); }) == "data.ids: a batch that cannot be packed");
    CHECK(objective.trained.size() + objective.validated.size() == static_cast<std::size_t>(fails_at));
    CHECK(trainer.state().step == static_cast<std::int64_t>(objective.trained.size()));
  }
}

TEST_CASE("packing runs no more than one batch ahead") {
  Recorder objective(40, 0);
  const Recipe recipe = recipe_of(1);
  Trainer trainer(recipe, objective, nullptr);
  TrainerCallbacks callbacks;
  std::int64_t most = 0;
  callbacks.after_step = [&](const StepReport& report) {
    most = std::max(most, objective.packed_count.load() - report.step);
  };
  CHECK(trainer.run(callbacks) == TrainingOutcome::finished);
  CHECK(most <= 1);
  CHECK(objective.packed_count == 10);
}

TEST_CASE("an epoch says which share of its time it waited for batches") {
  const auto waiting_share = [](int packing_time, int loss_time) {
    const Recipe recipe = recipe_of(1);
    Recorder objective(40, 0);
    objective.packing_time = std::chrono::milliseconds(packing_time);
    objective.loss_time = std::chrono::milliseconds(loss_time);
    Trainer trainer(recipe, objective, nullptr);
    double share = -1;
    trainer.run(after_epoch([&](const EpochReport& r) { share = r.waiting_share; }));
    return share;
  };
  // How much more depends on what else the machine does.
  const double packing = waiting_share(30, 0), loss = waiting_share(0, 30);
  CHECK(packing > loss);
  CHECK(packing <= 1);
  CHECK(loss >= 0);
}

TEST_CASE("the order depends on the seed only") {
  Recorder one(30, 2), same(30, 2), other(30, 2);
  Recipe recipe = recipe_of(1);
  Trainer(recipe, one, nullptr).run({});
  Trainer(recipe, same, nullptr).run({});
  recipe.seed += 1;
  Trainer(recipe, other, nullptr).run({});
  CHECK(one.trained == same.trained);
  CHECK(one.trained != other.trained);
}

TEST_CASE("max_steps ends a run inside an epoch, with a validation") {
  Recorder objective(18, 9);
  Recipe recipe = recipe_of(3);
  recipe.training.max_steps = 7;
  Trainer trainer(recipe, objective, nullptr);
  std::int64_t epochs = 0;
  CHECK(trainer.run(after_epoch([&](const EpochReport&) { ++epochs; })) == TrainingOutcome::finished);
  CHECK(objective.trained.size() == 7);
  CHECK(epochs == 2);
  CHECK(trainer.state().is_finished);
}

TEST_CASE("the best epoch has the lowest validation loss, the first of equals") {
  Recorder objective(8, 8);
  objective.validation_losses = {3, 2, 2, 2.5, 1.5, 4};
  const Recipe recipe = recipe_of(6);
  Trainer trainer(recipe, objective, nullptr);
  std::vector<bool> best;
  trainer.run(after_epoch([&](const EpochReport& r) { best.push_back(r.is_best); }));
  CHECK(best == std::vector<bool>{true, true, false, false, true, false});
  CHECK(trainer.state().best_value == 1.5);
  CHECK(trainer.state().best_step == 10);
}

TEST_CASE("the best epoch is that of the recipe's metric, and another one may end the run") {
  const auto best_epochs = [](const std::string& best, const std::string& stopping, std::int64_t patience) {
    Recorder objective(8, 8);
    objective.validation_losses = {1, 2, 3, 4, 5, 6};
    objective.macro_f1s = {0.5, 0.25, 0.625, 0.625, 0.5, 0.75};
    objective.roc_aucs = {0.5, 0.75, 0.75, 0.625, 0.875, 0.75};
    Recipe recipe = recipe_of(6);
    recipe.model = model_section(ClassifierSettings());
    recipe.training.best_metric = best;
    recipe.training.early_stopping = {stopping, patience};
    Trainer trainer(recipe, objective, nullptr);
    std::string epochs;
    trainer.run(after_epoch([&](const EpochReport& r) {
      epochs += r.is_best ? 'b' : r.stops_early ? 's' : '.';
    }));
    return epochs + " " + std::to_string(trainer.state().best_value);
  };
  CHECK(best_epochs("macro_f1", "loss", 0) == "b.b..b -0.750000");
  CHECK(best_epochs("roc_auc", "loss", 0) == "bb..b. -0.875000");
  CHECK(best_epochs("perplexity", "loss", 0) == "b..... 1.000000");
  CHECK(best_epochs("macro_f1", "loss", 3) == "b.bs -0.625000");
  CHECK(best_epochs("loss", "macro_f1", 2) == "b...s 1.000000");
  CHECK(best_epochs("loss", "roc_auc", 2) == "b..s 1.000000");
}

TEST_CASE("a metric that the validation has not is an error, and not a guess") {
  Recorder objective(8, 8);
  Recipe recipe = recipe_of(2);
  recipe.training.best_metric = "roc_auc";
  Trainer trainer(recipe, objective, nullptr);
  CHECK(error_text([&] { trainer.run({}); }) ==
        "the validation examples have no roc_auc (choose another metric)");
}

TEST_CASE("a run without validation data has no best epoch") {
  Recorder objective(8, 0);
  const Recipe recipe = recipe_of(2);
  Trainer trainer(recipe, objective, nullptr);
  CHECK(trainer.run({}) == TrainingOutcome::finished);
  CHECK_FALSE(trainer.state().has_best);
}

TEST_CASE("a stop is asked for after each step and ends the run there") {
  Recorder objective(18, 4);
  const Recipe recipe = recipe_of(2);
  Trainer trainer(recipe, objective, nullptr);
  int asked = 0;
  CHECK(trainer.run(wants_stop([&] { return ++asked == 3; })) == TrainingOutcome::stopped);
  CHECK(objective.trained.size() == 3);
  CHECK(trainer.state().position == 10);
  CHECK_FALSE(trainer.state().is_finished);
}

TEST_CASE("a checkpoint is written where the clock says that the last one is old") {
  Recipe recipe = recipe_of(2);
  recipe.name = "recorded";
  recipe.training.checkpoint.keep = 100;
  CHECK(recipe.training.checkpoint.every_minutes == 10);
  const auto saved = [&](double every_minutes) {
    recipe.training.checkpoint.every_minutes = every_minutes;
    const ScratchDirectory scratch;
    Recorder objective(18, 4);
    RunDirectory directory(scratch.path(), recipe, {}, log_header(log_columns(objective)),
                           ExistingRun::resume, [](const std::string&) {});
    Trainer trainer(recipe, objective, &directory);
    TrainerCallbacks callbacks;
    double now = 5000;
    callbacks.clock = [&] { return now; };
    callbacks.after_step = [&](const StepReport&) { now += 240; };  // four minutes a step
    CHECK(trainer.run(callbacks) == TrainingOutcome::finished);
    std::string steps;
    for (const Checkpoint& checkpoint : list_checkpoints(scratch.path()))
      steps = std::to_string(checkpoint.step) + " " + steps;
    return steps;
  };
  CHECK(saved(10) == "3 5 8 10 ");  // 5 and 10 end epochs, and are counted from
  CHECK(saved(4) == "1 2 3 4 5 6 7 8 9 10 ");
  CHECK(saved(8) == "2 4 5 7 9 10 ");
  CHECK(saved(0) == "5 10 ");
}

TEST_CASE("with every_epochs some epochs' ends are saved, the best, the last, and where the run is stopped") {
  Recipe recipe = recipe_of(7);
  recipe.name = "recorded";
  recipe.training.checkpoint = {.every_minutes = 0, .every_epochs = 3, .keep = 100};
  const ScratchDirectory scratch;
  const auto run = [&](std::int64_t stop) {
    Recorder objective(18, 4);
    objective.validation_losses = {5, 4, 6, 7, 8, 9, 9};
    RunDirectory directory(scratch.path(), recipe, {}, log_header(log_columns(objective)),
                           ExistingRun::resume, [](const std::string&) {});
    Trainer trainer(recipe, objective, &directory);
    (void)trainer.run(wants_stop([&] { return trainer.state().step >= stop; }));
    std::string steps;
    for (const Checkpoint& checkpoint : list_checkpoints(scratch.path()))
      steps = std::to_string(checkpoint.step) + " " + steps;
    return steps;
  };
  CHECK(run(20) == "10 15 20 ");  // 5 was the best until two newer ones were there
  CHECK(run(1000) == "10 15 30 35 ");
}

TEST_CASE("a loss that ends ten times above that of the first step has diverged") {
  const auto said = [](std::vector<double> losses) {
    Recorder objective(8, 4);
    objective.training_losses = std::move(losses);
    const Recipe recipe = recipe_of(2);
    Trainer trainer(recipe, objective, nullptr);
    CHECK_FALSE(trainer.divergence().has_value());
    trainer.run({});
    return trainer.divergence().value_or("");
  };
  CHECK(said({2, 1000, 20, 20}) == "");
  CHECK(
      said({2, 3, 19, 22}) ==
      "the loss of the last epoch is 20.5000, more than ten times the 2.0000 of the first step: the run has "
      "diverged (lower training.optimizer.learning_rate or set global_clipnorm)");
  CHECK(said({0.001, 0.001, 0.9, 0.9}) == "");  // a model that knew the examples
  CHECK(said({0.001, 0.001, 1.5, 1.5}) != "");
}

TEST_CASE("a loss that is not finite speaks of a checkpoint only where there is one") {
  Recipe recipe = recipe_of(2);
  recipe.name = "recorded";
  const auto said = [&](std::vector<double> losses, bool writes) {
    const ScratchDirectory scratch;
    Recorder objective(8, 4);
    objective.training_losses = std::move(losses);
    RunDirectory directory(scratch.path(), recipe, {}, log_header(log_columns(objective)),
                           ExistingRun::resume, [](const std::string&) {});
    Trainer trainer(recipe, objective, writes ? &directory : nullptr);
    return error_text([&] { trainer.run({}); });
  };
  const std::string advice = " (lower training.optimizer.learning_rate or set global_clipnorm)";
  CHECK(said({1, NAN}, true) == "step 2: the loss is nan; nothing of this run is saved" + advice);
  CHECK(said({1, NAN}, false) == "step 2: the loss is nan; nothing of this run is saved" + advice);
  CHECK(said({1, 1, NAN}, true) ==
        "step 3: the loss is nan; nothing of this step is saved, the newest checkpoint stays as it is" +
            advice);
}

TEST_CASE("a state that the run cannot reach is refused") {
  Recipe recipe = recipe_of(3);
  recipe.name = "recorded";
  const auto resume_at = [&](std::int64_t epoch, std::int64_t step, std::int64_t position) {
    const ScratchDirectory scratch;
    Recorder objective(18, 4);
    const auto open = [&] {
      return std::make_unique<RunDirectory>(scratch.path(), recipe, std::vector<DirectoryFile>{},
                                            log_header(log_columns(objective)), ExistingRun::resume,
                                            [](const std::string&) {});
    };
    TrainingState state;
    state.epoch = epoch;
    state.step = step;
    state.position = position;
    state.data_hash = objective.data_hash();
    Optimizer optimizer(recipe.training.optimizer, objective.parameters());
    open()->save(state, objective.parameters(), optimizer.states(), false);
    std::string log = log_header(log_columns(objective)) + "\n";
    for (std::int64_t row = 1; row <= std::min<std::int64_t>(epoch, 3); ++row)
      log += std::to_string(std::min<std::int64_t>(row * 5, step)) + "," + std::to_string(row) + "\n";
    write_file(scratch / "log.csv", log);
    return error_text([&] { Trainer(recipe, objective, open().get()).run({}); });
  };
  CHECK(resume_at(0, 1, 3) == "(no error)");
  CHECK(resume_at(1, 5, 0) == "(no error)");
  CHECK(resume_at(2, 12, 7) == "(no error)");
  for (const auto& [epoch, step, position] : {std::array<std::int64_t, 3>{0, 1, 4},
                                              {0, 5, 18},
                                              {1, 4, 14},
                                              {2, 5, 0},
                                              {3, 15, 0},
                                              {0, 0, 1'000'000}}) {
    CHECK(resume_at(epoch, step, position).find("which this run of 5 steps an epoch cannot reach") !=
          std::string::npos);
  }
  // No log can have the rows of these.
  CHECK(resume_at(0, 1'000'000'000'000, 0).find("has no row of step 100,") != std::string::npos);
  CHECK(resume_at(1'000'000'000'000'000'000, 5, 0).find("has no row of the end of epoch 4,") !=
        std::string::npos);
}

TEST_CASE("warming up takes the largest batch and changes no parameter") {
  Recorder objective(18, 4);
  const Recipe recipe = recipe_of(1);
  Trainer trainer(recipe, objective, nullptr);
  trainer.warm_up();
  REQUIRE(objective.trained.size() == 1);
  CHECK(objective.trained[0].size() == 4);
  CHECK(objective.parameters().values()[0] == 0);
  CHECK(trainer.state().step == 0);
}
