// Ranks that each keep a share of the optimizer's state: the bits of one process, whatever the optimizer, and
// less memory.
#include "training/rank_shares.hpp"

#include <array>
#include <mutex>

#include "error_text.hpp"
#include "property/rank_runs.hpp"
#include "trainer_callbacks.hpp"

using namespace headwater;
using namespace rank_runs;  // NOLINT: the tests' own helpers

namespace {

// Gradients that are made, of multiples of 1/8, so that sums are exact in any order: of parameters that are
// cut and that are too small for it, of tables of which few rows have one, and of parameters that have one in
// some steps only.
class MadeObjective : public Objective {
 public:
  MadeObjective() {
    table_->is_table = both_->is_table = true;
    parameters_.allocate(true);
  }
  Parameters& parameters() override { return parameters_; }
  std::int64_t width() const override { return 8; }
  std::size_t examples(Split split) const override { return split == Split::train ? 100 : 0; }
  std::int64_t tokens(Split, std::span<const std::uint32_t> chosen) const override {
    return static_cast<std::int64_t>(chosen.size());
  }
  std::string data_hash() const override { return "made"; }
  void prepare(Split, std::span<const std::uint32_t> chosen, const BatchPart& part, BatchSlot slot) override {
    const auto own = chosen.subspan(part.begin(), static_cast<std::size_t>(part.end() - part.begin()));
    chosen_[slot == BatchSlot::first ? 0 : 1].assign(own.begin(), own.end());
  }
  LossTotals loss(const ForwardContext& context, Split, BatchSlot slot) override {
    const std::vector<std::uint32_t>& chosen = chosen_[slot == BatchSlot::first ? 0 : 1];
    const std::uint32_t step = context.step;
    const auto later = [&](auto write) { context.tape.record("scale", write); };
    later([=, this, &chosen] { add_dense(*matrix_, chosen, step); });
    later([=, this, &chosen] { add_dense(*small_, chosen, step); });
    later([=, this, &chosen] {
      if (step % 3 != 1) add_dense(*at_times_, chosen, step);
    });
    later([=, this, &chosen] { add_rows(*table_, chosen, step); });
    later([=, this, &chosen] { add_rows(*both_, chosen, step); });
    later([=, this, &chosen] {
      if (step % 2 == 0) add_dense(*both_, chosen, step);
    });
    LossTotals totals;
    totals.predicted = totals.useful = static_cast<std::int64_t>(chosen.size());
    totals.loss = static_cast<double>(chosen.size());
    return totals;
  }

  // In this step, which counts from 1, a number of the gradient of "matrix" is not finite.
  std::uint32_t poisoned_step = 0;
  std::vector<Index> poisoned{};

 private:
  static Real number(Index element, std::uint32_t example, std::uint32_t step) {
    return static_cast<Real>((element * 7 + example * 11 + step * 5) % 13 - 6) / 8;
  }
  void add_dense(Parameter& p, std::span<const std::uint32_t> chosen, std::uint32_t step) const {
    const GradientSlot slot = Tape::slot(p);
    for (Index i = 0; i < p.size(); ++i) {
      Real sum = 0;
      for (const std::uint32_t example : chosen) sum += number(i, example, step);
      slot.matrix.data[i] = slot.accumulate ? slot.matrix.data[i] + sum : sum;
    }
    if (step != poisoned_step || &p != matrix_) return;
    for (const Index at : poisoned) slot.matrix.data[at] = std::numeric_limits<Real>::infinity();
  }
  static void add_rows(Parameter& p, std::span<const std::uint32_t> chosen, std::uint32_t step) {
    std::vector<std::int32_t> ids;
    for (const std::uint32_t example : chosen)
      ids.push_back(static_cast<std::int32_t>((example * 37 + step * 101) % 600));
    std::vector<std::uint8_t> is_written(p.value.rows);
    Gradient& gradient = p.next_use();
    gradient.begin_rows(ids, is_written);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      for (Index c = 0; c < p.value.cols; ++c) gradient.values.row(ids[i])[c] += number(c, chosen[i], step);
    }
  }

  Parameters parameters_;
  Parameter* matrix_ =
      parameters_.declare("matrix", {90, 200}, 90, 200, Initializer::glorot_uniform, 90, 200);
  Parameter* small_ = parameters_.declare("small", {7}, 1, 7, Initializer::zeros);
  Parameter* at_times_ = parameters_.declare("at_times", {5'000}, 1, 5'000, Initializer::ones);
  Parameter* table_ = parameters_.declare("table", {700, 16}, 700, 16, Initializer::embedding_uniform);
  Parameter* both_ =
      parameters_.declare("table_and_head", {600, 48}, 600, 48, Initializer::embedding_uniform);
  std::vector<std::uint32_t> chosen_[2];
};

struct MadeRun {
  MadeObjective objective;
};

Recipe made_recipe(const OptimizerSettings& optimizer) {
  Recipe recipe = small_recipe("adam");
  recipe.training.optimizer = optimizer;
  recipe.training.batch_sequences = 11;
  recipe.training.epochs = 2;
  recipe.training.checkpoint = {.every_steps = 7, .keep = 2};
  return recipe;
}

// Each clips every step.
std::vector<OptimizerSettings> optimizers() {
  std::vector<OptimizerSettings> all(5);
  for (OptimizerSettings& settings : all) {
    settings.learning_rate = 0.01;
    settings.global_clipnorm = 0.05;
  }
  all[0].kind = OptimizerKind::adam;
  all[1].kind = OptimizerKind::adamw;
  all[1].weight_decay = 0.1;
  all[2].kind = all[3].kind = OptimizerKind::sgd;
  all[3].momentum = 0.9;
  all[4].kind = OptimizerKind::rmsprop;
  return all;
}

template <class MakeRun>
void check_ranks(const Recipe& recipe, const MakeRun& make_run) {
  INFO(std::string(name_of(recipe.training.optimizer.kind)), ", momentum ",
       recipe.training.optimizer.momentum);
  const Results whole = train(recipe, make_run()->objective, 1, 2);
  for (const int ranks : {2, 4, 8}) {
    INFO(ranks, " ranks");
    const ScratchDirectory scratch;
    train_on_ranks(scratch.path(), recipe, make_run, ranks, 1);
    check_same(results_of(scratch.path()), whole);
  }
}

}  // namespace

TEST_CASE("made gradients on ranks: dense ones, rows, and those of some steps") {
  for (const OptimizerSettings& settings : optimizers()) {
    Recipe recipe = made_recipe(settings);
    for (const double ema_decay : {0.0, 0.9}) {
      recipe.training.ema_decay = ema_decay;
      check_ranks(recipe, [] { return std::make_unique<MadeRun>(); });
    }
    recipe.training.freeze = {"matrix"};
    check_ranks(recipe, [] { return std::make_unique<MadeRun>(); });
    recipe.training.freeze = {"table*"};
    recipe.training.accumulate = 4;
    check_ranks(recipe, [] { return std::make_unique<MadeRun>(); });
  }
}

TEST_CASE("a wide encoder-decoder on ranks, with frozen embeddings and layers that learn later" *
          doctest::test_suite("native")) {
  for (const OptimizerSettings& settings : optimizers()) {
    Recipe recipe = wide_recipe("adam");
    recipe.model.as<EncoderDecoderSettings>().transformer.width = 64;
    recipe.training.optimizer = settings;
    recipe.training.batch_sequences = 16;
    recipe.training.max_steps = 5;
    recipe.training.log_every = 1;
    const auto make_run = [&] {
      return std::make_unique<SmallRun>(recipe, copy_pairs(128, 39, 337, 51), copy_pairs(20, 39, 337, 52),
                                        337);
    };
    check_ranks(recipe, make_run);
    recipe.training.freeze = {"source_embedding.*"};
    check_ranks(recipe, make_run);
    recipe.training.unfreeze.every_steps = 1;
    check_ranks(recipe, make_run);
  }
}

TEST_CASE("a run that was stopped goes on with another number of ranks, whatever the optimizer") {
  for (const OptimizerSettings& settings : optimizers()) {
    const Recipe recipe = made_recipe(settings);
    const auto make_run = [] { return std::make_unique<MadeRun>(); };
    const Results whole = train(recipe, make_run()->objective, 1, 2);
    const ScratchDirectory scratch;
    train_on_ranks(scratch.path(), recipe, make_run, 8, 1, 3);
    train_on_ranks(scratch.path(), recipe, make_run, 1, 1, 6);
    train_on_ranks(scratch.path(), recipe, make_run, 2, 1, 11);
    train_on_ranks(scratch.path(), recipe, make_run, 4, 1);
    check_same(results_of(scratch.path()), whole);
  }
}

TEST_CASE("ranks have the state of one process between them, in equal shares, and send what is said") {
  const Recipe recipe = made_recipe(optimizers()[0]);
  MadeRun one;
  const Trainer whole(recipe, one.objective, nullptr);
  CHECK(whole.bytes_of_state() == 2 * 4 * one.objective.parameters().size());
  CHECK(whole.bytes_of_exchange() == 0);
  for (const int ranks : {2, 4, 8}) {
    std::mutex mutex;
    std::int64_t sum = 0, largest = 0, sent = 0, said = 0;
    on_ranks(ranks, [&](LocalGroup& group) {
      MadeRun run;
      Trainer trainer(recipe, run.objective, nullptr, {},
                      {.group = &group, .rank = group.rank(), .size = group.size()});
      trainer.warm_up();
      std::int64_t at_second = 0, at_third = 0;
      TrainerCallbacks callbacks = after_step([&](const StepReport& report) {
        if (report.step == 2) at_second = group.bytes_sent();
        if (report.step == 3) at_third = group.bytes_sent();
      });
      callbacks.wants_stop = [&] { return trainer.state().step >= 3; };
      trainer.run(callbacks);
      const std::lock_guard lock(mutex);
      sum += trainer.bytes_of_state();
      largest = std::max(largest, trainer.bytes_of_state());
      sent += at_third - at_second;
      said += trainer.bytes_of_exchange();
    });
    INFO(ranks, " ranks");
    CHECK(sum == whole.bytes_of_state());
    // Parts of a matrix are whole blocks of 4,096 numbers, those of the wider table 3 of them.
    CHECK(largest <= whole.bytes_of_state() / ranks + 2 * 4 * (3 * 4'096 + 12'288));
    // Few rows of a table are sent as gradients, but all as parameters; what ranks say of theirs is small.
    CHECK(sent <= said);
    CHECK(sent >= said / 2);
  }
}

TEST_CASE("ranks name the first number of a gradient that is not finite, whoever owns it") {
  for (const int ranks : {1, 2, 8}) {
    std::vector<std::string> texts(ranks);  // each rank throws its own
    on_ranks(ranks, [&](ProcessGroup& group) {
      MadeRun run;
      run.objective.poisoned_step = 3;
      run.objective.poisoned = {17'999, 9'000, 4'097};
      const Recipe recipe = made_recipe(optimizers()[0]);
      Trainer trainer(recipe, run.objective, nullptr, {},
                      {.group = &group, .rank = group.rank(), .size = group.size()});
      trainer.warm_up();
      texts[group.rank()] = error_text([&] { trainer.run({}); });
    });
    for (const std::string& text : texts)
      CHECK(text.starts_with("step 3: the gradient of \"matrix\" is not finite at element 4097; "));
  }
}

TEST_CASE("shares cover each parameter once, at borders of blocks and rows") {
  MadeObjective made;
  for (const int ranks : {1, 2, 4, 8}) {
    Parameters& parameters = made.parameters();
    std::vector<int> is_position_taken(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const RankShares shares(parameters, {.rank = rank, .size = ranks});
      ++is_position_taken[shares.position()];
      for (std::size_t place = 0; place < parameters.all().size(); ++place) {
        const Parameter& p = *parameters.all()[place];
        Index end = 0;
        for (int position = 0; position < ranks; ++position) {
          const RankShares::Range range = shares.at(place, position);
          CHECK(range.begin == end);
          CHECK(range.end >= range.begin);
          if (range.begin < p.size()) CHECK(range.begin % 4'096 == 0);
          if (p.is_table) CHECK(range.begin % p.value.cols == 0);
          end = range.end;
        }
        CHECK(end == p.size());
      }
    }
    for (const int count : is_position_taken) CHECK(count == 1);
  }
}
