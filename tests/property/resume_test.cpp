// A run that is stopped and resumed writes the files of one that was not; a run that goes wrong saves
// nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "error_text.hpp"
#include "families/model_directory.hpp"
#include "same_bits.hpp"
#include "scratch_directory.hpp"
#include "small_run.hpp"
#include "support/files.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "trainer_callbacks.hpp"
#include "training/parameter_groups.hpp"

using namespace headwater;

namespace {

constexpr std::int64_t kVocabulary = 53;  // more words than the examples have: rows without a gradient
constexpr std::int64_t kStepsPerEpoch = 5;

SmallRun make_run(const Recipe& recipe) {
  std::vector<Pair> train = copy_pairs(37, 8, 31, 21), validation = copy_pairs(11, 8, 31, 22);
  return SmallRun(recipe, train, validation, kVocabulary);
}

void ignore(const std::string&) {}

// The columns of a log that nothing is trained for.
constexpr const char* kHeader = "step,epoch,seconds,tokens_per_second,waiting_share";

// Trains in `directory` until the end, or saves and stops after step `stop`.
TrainingOutcome train(const Recipe& recipe, const fs::path& directory, int threads, std::int64_t stop) {
  SmallRun run = make_run(recipe);
  RunDirectory run_directory(directory, run.recipe, {{"config.json", "{}\n"}},
                             log_header(log_columns(run.objective)), ExistingRun::resume, ignore);
  TrainingOutcome outcome = TrainingOutcome::finished;
  ThreadPool pool(threads);
  pool.run([&] {
    Trainer trainer(run.recipe, run.objective, &run_directory);
    trainer.warm_up();
    outcome = trainer.run(wants_stop([&] { return trainer.state().step >= stop; }));
  });
  return outcome;
}

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// What must not depend on how often a run was stopped.
std::map<std::string, std::string> results_of(const fs::path& directory) {
  std::map<std::string, std::string> results{{"log.csv", log_without_times(directory)}};
  for (const char* link : {"latest", "best"}) {
    for (const char* name :
         {"model.safetensors", "optimizer.safetensors", "state.json", "recipe.yaml", "config.json"}) {
      results[std::string(link) + "/" + name] = read_file(directory / "checkpoints" / link / name);
    }
  }
  return results;
}

void check_equal(const std::map<std::string, std::string>& ours,
                 const std::map<std::string, std::string>& expected) {
  REQUIRE(ours.size() == expected.size());
  for (const auto& entry : expected) {
    const auto& name = entry.first;
    const auto& bytes = entry.second;
    INFO(name);
    CHECK((ours.at(name) == bytes));  // bytes are not for printing
  }
}

Recipe recipe_with(const std::string& optimizer) { return small_recipe(optimizer); }

Recipe averaging_recipe(const std::string& optimizer) {
  Recipe recipe = recipe_with(optimizer);
  recipe.training.ema_decay = 0.8;
  return recipe;
}

Recipe tied_recipe(const std::string& optimizer, SharedEmbeddings shared) {
  Recipe recipe = recipe_with(optimizer);
  recipe.model.as<EncoderDecoderSettings>().share_embeddings = shared;
  return recipe;
}

// Batches of at most so many tokens, as many as those of recipe_with(); the mean of two epochs' weights; a
// rate that falls in steps; a checkpoint at the end of each second epoch only, and of the best.
Recipe token_recipe() {
  Recipe recipe = recipe_with("adam");
  recipe.training.batch_sequences = 64;
  recipe.training.batch_tokens = 100;
  recipe.training.average_last = 2;
  recipe.training.schedule = {
      .kind = ScheduleKind::step, .warmup_steps = 2, .factor = 0.5, .every_epochs = 1};
  recipe.training.checkpoint = {.every_steps = 4, .every_epochs = 2, .keep = 2};
  return recipe;
}

// Unfreezes a layer every three of fifteen steps.
Recipe unfreezing_recipe(const std::string& optimizer) {
  Recipe recipe = recipe_with(optimizer);
  recipe.training.unfreeze = {.every_steps = 3};
  return recipe;
}

}  // namespace

TEST_CASE("a resumed run writes the files of an uninterrupted one") {
  for (const Recipe& recipe :
       {recipe_with("rmsprop"), recipe_with("adam"), recipe_with("sgd"), averaging_recipe("rmsprop"),
        averaging_recipe("adam"), tied_recipe("adam", SharedEmbeddings::all),
        tied_recipe("rmsprop", SharedEmbeddings::source_target), token_recipe(), unfreezing_recipe("adam"),
        unfreezing_recipe("rmsprop")}) {
    const ScratchDirectory whole;
    REQUIRE(train(recipe, whole.path(), 2, kNever) == TrainingOutcome::finished);
    const auto expected = results_of(whole.path());
    // 1 and 3: in warm-up; 4: where a checkpoint is due anyway; 5 and 10: an epoch's end; 7: inside an epoch,
    // no log row; 14: the last but one.
    for (const std::int64_t stop : {1, 3, 4, 5, 7, 10, 14}) {
      INFO(std::string(name_of(recipe.training.optimizer.kind)), ", EMA decay ", recipe.training.ema_decay,
           ", shared: ", std::string(name_of(recipe.model.as<EncoderDecoderSettings>().share_embeddings)),
           ", stopped after step ", stop);
      const ScratchDirectory stopped;
      REQUIRE(train(recipe, stopped.path(), 3, stop) == TrainingOutcome::stopped);
      CHECK(list_checkpoints(stopped.path()).front().step == stop);
      REQUIRE(train(recipe, stopped.path(), 1, kNever) == TrainingOutcome::finished);
      check_equal(results_of(stopped.path()), expected);
    }
  }
}

TEST_CASE(
    "a finished run that goes on for more epochs has the bits of one that was asked for them at first") {
  for (Recipe recipe : {recipe_with("rmsprop"), recipe_with("adam"), averaging_recipe("rmsprop")}) {
    for (const ScheduleKind schedule : {ScheduleKind::constant, ScheduleKind::inverse_square_root}) {
      recipe.training.schedule = {.kind = schedule, .warmup_steps = 4};
      recipe.training.early_stopping = {.metric = "loss", .patience = 4};
      const auto of_length = [&](std::int64_t epochs) {
        recipe.training.epochs = epochs;
        return recipe;
      };
      const ScratchDirectory whole, longer;
      REQUIRE(train(of_length(5), whole.path(), 2, kNever) == TrainingOutcome::finished);
      REQUIRE(train(of_length(2), longer.path(), 1, kNever) == TrainingOutcome::finished);
      REQUIRE(train(of_length(4), longer.path(), 2, 13) == TrainingOutcome::stopped);
      REQUIRE(train(of_length(5), longer.path(), 3, kNever) == TrainingOutcome::finished);
      auto ours = results_of(longer.path()), expected = results_of(whole.path());
      // The history of the lengths is the only difference.
      const std::string state = expected.at("latest/state.json");
      std::string changes;
      for (auto* results : {&ours, &expected}) {
        Json json = Json::parse(results->at("latest/state.json"), "state.json");
        if (const Json* list = json.find("changes")) changes = list->dump();
        json.set("changes", nullptr);
        (*results)["latest/state.json"] = json.dump();
        results->erase("best/state.json");
        results->erase("best/recipe.yaml");  // of the length that the run had then
      }
      check_equal(ours, expected);
      CHECK(changes == R"(["step 10: training.epochs: 4, was 2","step 13: training.epochs: 5, was 4"])");
      CHECK(state.find("changes") == std::string::npos);
    }
  }
}

TEST_CASE("a run does not go on to a length that would have changed what it did before") {
  Recipe recipe = recipe_with("sgd");
  const auto said = [&](const Recipe& before, const Recipe& after) {
    const ScratchDirectory directory;
    REQUIRE(train(before, directory.path(), 1, kNever) == TrainingOutcome::finished);
    const auto expected = results_of(directory.path());
    std::string message;
    try {
      train(after, directory.path(), 1, kNever);
    } catch (const UsageError& error) {
      message = error.what();
      check_equal(results_of(directory.path()), expected);
      message = message.substr(directory.path().string().size() + 2);
      const std::size_t at = message.find(" --init-from ");
      REQUIRE(at != std::string::npos);
      message.erase(at + 13, directory.path().string().size());
    }
    return message;
  };
  const std::string cure = "; choose another --output, with --init-from  to begin with its weights";
  const auto of = [&](ScheduleKind schedule, std::int64_t epochs, std::int64_t max_steps = 0) {
    Recipe made = recipe;
    made.training.schedule.kind = schedule;
    made.training.epochs = epochs;
    made.training.max_steps = max_steps;
    return made;
  };
  for (const ScheduleKind schedule : {ScheduleKind::cosine, ScheduleKind::linear}) {
    CHECK(said(of(schedule, 1), of(schedule, 2)) ==
          "the rates of its " + std::string(name_of(schedule)) +
              " schedule depend on the length of the run, which cannot change under way (training.epochs: 2 "
              "here, 1 there)" +
              cure);
  }
  CHECK(said(of(ScheduleKind::constant, 2), of(ScheduleKind::constant, 1)) ==
        "is a run of 2 epochs (say so again with --epochs 2); it has 10 steps behind it, no fewer than the 5 "
        "of this length (training.epochs: 1, was 2)" +
            cure);
  CHECK(
      said(of(ScheduleKind::constant, 2, 7), of(ScheduleKind::constant, 2)) ==
      "was ended by max_steps inside epoch 2, where a longer run would have gone on (training.max_steps: 0, "
      "was 7)" +
          cure);
  CHECK(said(of(ScheduleKind::constant, 2, 5), of(ScheduleKind::constant, 1))
            .empty());  // the same length in other words
  CHECK(said(of(ScheduleKind::constant, 2, 5), of(ScheduleKind::constant, 2)).empty());
  Recipe stops = of(ScheduleKind::constant, 4);
  stops.training.optimizer.learning_rate = 1e-12;  // nothing gets better
  stops.training.early_stopping = {.metric = "loss", .patience = 1};
  Recipe longer = stops;
  longer.training.epochs = 6;
  const std::string early = said(stops, longer);
  CHECK(early.starts_with("was stopped early after epoch "));
  CHECK(early.ends_with(", as a run of any length would have been (training.epochs: 6, was 4)" + cure));
  Recipe often = of(ScheduleKind::cosine, 1);
  often.training.checkpoint = {.every_steps = 1, .every_minutes = 3, .keep = 9};
  CHECK(said(of(ScheduleKind::cosine, 1), often).empty());  // checkpoints may be written as one likes
}

TEST_CASE("what is measured and saved is the moving average of the weights") {
  const Recipe recipe = averaging_recipe("rmsprop");
  const ScratchDirectory directory;
  REQUIRE(train(recipe, directory.path(), 2, kNever) == TrainingOutcome::finished);
  SmallRun averaged = make_run(recipe), weights = make_run(recipe);
  const fs::path latest = directory.path() / "checkpoints" / "latest";
  read_parameters(latest / "model.safetensors", averaged.model.parameters());
  const Safetensors beside(latest / "optimizer.safetensors");
  for (const auto& p : weights.model.parameters().all()) {
    read_numbers(beside.at("weights." + p->name), {p->value.data, static_cast<std::size_t>(p->size())});
  }
  // The log's last row was measured with the model that was saved, and not with the weights beside it.
  const auto loss_of = [](SmallRun& run) {
    Recipe plain = run.recipe;
    plain.training.ema_decay = 0;
    const std::vector<Real> values = values_of(run.model);
    Trainer trainer(plain, run.objective, nullptr);  // draws new values
    std::copy(values.begin(), values.end(), run.model.parameters().values().begin());
    return trainer.validate().mean_loss();
  };
  const double of_average = loss_of(averaged), of_weights = loss_of(weights);
  CHECK(of_average != of_weights);
  const std::string log = read_file(directory.path() / "log.csv");
  CHECK(log.find("," + format_number(of_average) + ",") != std::string::npos);
  CHECK(log.find("," + format_number(of_weights) + ",") == std::string::npos);
}

TEST_CASE("training does not depend on the moving average of its weights") {
  const Recipe with = averaging_recipe("rmsprop"), without = recipe_with("rmsprop");
  SmallRun averaged = make_run(with), plain = make_run(without);
  Trainer(averaged.recipe, averaged.objective, nullptr).run({});
  Trainer(plain.recipe, plain.objective, nullptr).run({});
  CHECK(same_bits(values_of(averaged.model), values_of(plain.model)));
}

TEST_CASE("a run whose subwords are drawn anew, stopped after every step, on any threads") {
  constexpr const char* kTokenizer =
      R"({"version":"1.0","added_tokens":[)"
      R"({"id":2,"content":"[START]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},)"
      R"({"id":3,"content":"[END]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],)"
      R"("decoder":{"type":"Fuse"},"model":{"type":"BPE","vocab":{"c":0,"d":1,"[START]":2,"[END]":3,"a":4,"b":5,"ab":6,)"
      R"("aba":7},"merges":[["a","b"],["ab","a"]]}})";
  const Tokenizer tokenizer = Tokenizer::parse(kTokenizer, "t.json");
  std::vector<Pair> pairs = copy_pairs(37, 4, 8, 21);
  for (Pair& pair : pairs) {  // ids as the tokenizer gives them
    pair.source = tokenizer.encode(tokenizer.decode(pair.source));
    pair.target = pair.source;
    pair.target.insert(pair.target.begin(), kStart);
    pair.target.push_back(kEnd);
  }
  const auto results = [&](double dropout, int threads, bool stops, const fs::path& directory) {
    Recipe recipe = small_recipe("adam");
    recipe.training.subword_sampling.dropout = dropout;
    recipe.training.r_drop = 2;  // both passes read the same subwords
    for (std::int64_t stop = stops ? 1 : kNever;; ++stop) {
      SmallRun run(recipe, pairs, pairs, 8);
      run.objective.resample({tokenizer, recipe.training.subword_sampling, recipe.seed, 0, 9, "t.json"},
                             {tokenizer, recipe.training.subword_sampling, recipe.seed, 1, 10, "t.json"});
      RunDirectory run_directory(directory, run.recipe, {{"config.json", "{}\n"}},
                                 log_header(log_columns(run.objective)), ExistingRun::resume, ignore);
      TrainingOutcome outcome = TrainingOutcome::finished;
      ThreadPool pool(threads);
      pool.run([&] {
        Trainer trainer(run.recipe, run.objective, &run_directory);
        trainer.warm_up();
        outcome = trainer.run(wants_stop([&] { return trainer.state().step >= stop; }));
      });
      if (outcome == TrainingOutcome::finished) return results_of(directory);
    }
  };
  const ScratchDirectory whole, parts, plain;
  const auto expected = results(0.3, 1, false, whole.path());
  check_equal(results(0.3, 3, true, parts.path()), expected);
  CHECK(results(0, 1, false, plain.path()).at("latest/model.safetensors") !=
        expected.at("latest/model.safetensors"));
}

TEST_CASE("a run stopped after every step writes the files of an uninterrupted one") {
  const Recipe recipe = recipe_with("rmsprop");
  const ScratchDirectory whole, stopped;
  REQUIRE(train(recipe, whole.path(), 1, kNever) == TrainingOutcome::finished);
  const std::int64_t steps = kStepsPerEpoch * recipe.training.epochs;
  for (std::int64_t stop = 1; stop < steps; ++stop)
    REQUIRE(train(recipe, stopped.path(), 1 + static_cast<int>(stop % 3), stop) == TrainingOutcome::stopped);
  REQUIRE(train(recipe, stopped.path(), 1, kNever) == TrainingOutcome::finished);
  check_equal(results_of(stopped.path()), results_of(whole.path()));
}

TEST_CASE("a run that died after its newest checkpoint cuts the log and goes on") {
  const Recipe recipe = recipe_with("rmsprop");
  const ScratchDirectory whole, died;
  REQUIRE(train(recipe, whole.path(), 1, kNever) == TrainingOutcome::finished);
  {
    // Checkpoints at 4 and 5; the exception stands for a kill after the log row of step 6.
    SmallRun run = make_run(recipe);
    RunDirectory directory(died.path(), run.recipe, {{"config.json", "{}\n"}},
                           log_header(log_columns(run.objective)), ExistingRun::resume, ignore);
    Trainer trainer(run.recipe, run.objective, &directory);
    CHECK_THROWS_AS(trainer.run(after_step([&](const StepReport& report) {
      if (report.step == 7) throw std::runtime_error("killed");
    })),
                    std::runtime_error);
    directory.append_log("8,2,torn ro");  // and after a row that no checkpoint has
  }
  REQUIRE(list_checkpoints(died.path()).front().step == 5);
  CHECK(log_without_times(died.path()).find("\n6,") != std::string::npos);
  REQUIRE(train(recipe, died.path(), 1, kNever) == TrainingOutcome::finished);
  check_equal(results_of(died.path()), results_of(whole.path()));
}

TEST_CASE("a layer that is not unfrozen yet keeps its bits, and learns from its step on") {
  const ScratchDirectory directory;
  Recipe recipe = unfreezing_recipe("adam");
  recipe.training.schedule = {.kind = ScheduleKind::constant};  // the last step of a cosine changes nothing
  SmallRun run = make_run(recipe);
  const auto& all = run.model.parameters().all();
  const std::vector<std::int64_t> depths = depth_of(run.model.parameters());
  REQUIRE(*std::ranges::max_element(depths) == 3);  // embeddings, encoder, decoder, head
  std::vector<std::vector<Real>> before(all.size());
  const auto keep = [&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Matrix values = all[i]->value;
      before[i].assign(values.data, values.data + values.rows * values.cols);
    }
  };
  RunDirectory run_directory(directory.path(), run.recipe, {{"config.json", "{}\n"}},
                             log_header(log_columns(run.objective)), ExistingRun::resume, ignore);
  Trainer trainer(run.recipe, run.objective, &run_directory);
  trainer.run(after_step([&](const StepReport& report) {
    for (std::size_t i = 0; report.step > 1 && i < all.size(); ++i) {
      INFO(all[i]->name, " in step ", report.step);
      const Matrix values = all[i]->value;
      const bool is_same = same_bits(std::span<const Real>(values.data, before[i].size()), before[i]);
      CHECK(is_same == (report.step <= 3 * depths[i]));
    }
    keep();
  }));
}

TEST_CASE("a finished run that is started again changes nothing") {
  const Recipe recipe = recipe_with("adam");
  const ScratchDirectory directory;
  REQUIRE(train(recipe, directory.path(), 1, kNever) == TrainingOutcome::finished);
  const auto expected = results_of(directory.path());
  CHECK(train(recipe, directory.path(), 1, kNever) == TrainingOutcome::finished);
  check_equal(results_of(directory.path()), expected);
}

TEST_CASE("saving, loading and saving a model gives equal bytes") {
  const Recipe recipe = recipe_with("rmsprop");
  const ScratchDirectory directory;
  REQUIRE(train(recipe, directory.path(), 1, 7) == TrainingOutcome::stopped);
  const fs::path file = directory / "checkpoints/latest/model.safetensors";
  EncoderDecoder model(recipe.model.as<EncoderDecoderSettings>(), kVocabulary, kVocabulary);
  model.parameters().allocate(false);
  read_parameters(file, model.parameters());
  std::vector<TensorView> tensors;
  for (const auto& p : model.parameters().all())
    tensors.push_back(float_tensor(p->name, p->shape, p->value.data));
  CHECK((to_safetensors(tensors) == read_file(file)));
}

TEST_CASE("a loss that is not finite ends the run and is not saved") {
  const Recipe recipe = recipe_with("adam");
  const ScratchDirectory directory;
  SmallRun run = make_run(recipe);
  RunDirectory run_directory(directory.path(), run.recipe, {}, log_header(log_columns(run.objective)),
                             ExistingRun::resume, ignore);
  Trainer trainer(run.recipe, run.objective, &run_directory);
  // After step 6, between the checkpoints of 5 and 8.
  const auto poison = [&](const StepReport& report) {
    if (report.step == 6)
      run.model.parameters().find("head.bias")->value.data[7] = std::numeric_limits<Real>::quiet_NaN();
  };
  const std::string text = error_text([&] { trainer.run(after_step(poison)); });
  INFO(text);
  CHECK(text.starts_with("step 7: the loss is nan; \"head.bias\" is not finite at element 7; "));
  CHECK(list_checkpoints(directory.path()).front().step == 5);
  std::vector<std::string> skipped;
  CHECK(newest_valid_checkpoint(directory.path(), skipped)->step == 5);
  CHECK(skipped.empty());
}

TEST_CASE("a value that is not finite is not saved, even where no loss shows it") {
  const Recipe recipe = recipe_with("adam");
  const ScratchDirectory directory;
  SmallRun run = make_run(recipe);
  RunDirectory run_directory(directory.path(), run.recipe, {}, log_header(log_columns(run.objective)),
                             ExistingRun::resume, ignore);
  Trainer trainer(run.recipe, run.objective, &run_directory);
  Parameter* const tokens = run.model.parameters().find("source_embedding.tokens");
  // The last row belongs to no word of the examples; after step 8 a checkpoint is due.
  const auto poison = [&](const StepReport& report) {
    if (report.step == 8) tokens->value.row(kVocabulary - 1)[0] = std::numeric_limits<Real>::infinity();
  };
  const std::string text = error_text([&] { trainer.run(after_step(poison)); });
  INFO(text);
  const std::string place = std::to_string((kVocabulary - 1) * tokens->value.cols);
  CHECK(
      text.starts_with("step 8: the value of \"source_embedding.tokens\" is not finite at element " + place));
  CHECK(list_checkpoints(directory.path()).front().step == 5);
}

TEST_CASE("an optimizer's state that is not finite is not saved") {
  const Recipe recipe = recipe_with("adam");
  const ScratchDirectory directory;
  SmallRun run = make_run(recipe);
  RunDirectory run_directory(directory.path(), run.recipe, {}, log_header(log_columns(run.objective)),
                             ExistingRun::resume, ignore);
  Optimizer optimizer(recipe.training.optimizer, run.model.parameters());
  optimizer.states()[1]
      .values[static_cast<std::size_t>(run.model.parameters().find("head.bias")->offset) + 2] = std::nanf("");
  TrainingState state;
  state.step = 3;
  const std::string text =
      error_text([&] { run_directory.save(state, run.model.parameters(), optimizer.states(), false); });
  INFO(text);
  CHECK(text.starts_with("step 3: the optimizer's velocity of \"head.bias\" is not finite at element 2"));
  CHECK(list_checkpoints(directory.path()).empty());
}

TEST_CASE("one directory has one run, of one recipe and its data") {
  const Recipe recipe = recipe_with("sgd");
  const ScratchDirectory directory;
  REQUIRE(train(recipe, directory.path(), 1, 2) == TrainingOutcome::stopped);
  const auto open = [&](const Recipe& r, ExistingRun existing = ExistingRun::resume) {
    RunDirectory(directory.path(), r, {}, kHeader, existing, ignore);
  };
  {
    const RunDirectory first(directory.path(), recipe, {}, kHeader, ExistingRun::resume, ignore);
    CHECK(error_text([&] { open(recipe); }).find(directory.path().string()) != std::string::npos);
    CHECK(error_text([&] { open(recipe, ExistingRun::overwrite); }) != "(no error)");
  }
  CHECK(error_text([&] { open(recipe); }) == "(no error)");

  Recipe other = recipe;
  other.training.optimizer.learning_rate = 0.5;
  other.model.as<EncoderDecoderSettings>().transformer.heads = 1;
  const std::string text = error_text([&] { open(other); });
  INFO(text);
  CHECK(text.find("training.optimizer.learning_rate: 0.5 here, 0.002 there") != std::string::npos);
  CHECK(text.find("model.heads: 1 here, 2 there") != std::string::npos);
  CHECK_THROWS_AS(open(other), UsageError);

  SmallRun other_data(recipe, copy_pairs(36, 8, 31, 21), copy_pairs(11, 8, 31, 22), kVocabulary);
  RunDirectory run_directory(directory.path(), other_data.recipe, {},
                             log_header(log_columns(other_data.objective)), ExistingRun::resume, ignore);
  Trainer trainer(other_data.recipe, other_data.objective, &run_directory);
  CHECK(error_text([&] { trainer.run({}); }).find("hash") != std::string::npos);
}

TEST_CASE("a run does not go on with another tokenizer") {
  const Recipe recipe = recipe_with("sgd");
  const ScratchDirectory directory;
  const auto resume = [&](const std::string& tokenizer) {
    SmallRun run = make_run(recipe);
    RunDirectory run_directory(directory.path(), run.recipe,
                               {{"source-tokenizer.json", tokenizer, "tokenizer"}},
                               log_header(log_columns(run.objective)), ExistingRun::resume, ignore);
    Trainer trainer(run.recipe, run.objective, &run_directory);
    trainer.run(wants_stop([] { return true; }));
  };
  resume("one");
  CHECK(error_text([&] { resume("one"); }) == "(no error)");
  CHECK(error_text([&] { resume("two"); }).find("source-tokenizer.json: another tokenizer") !=
        std::string::npos);
}

TEST_CASE("--overwrite starts anew") {
  const Recipe recipe = recipe_with("sgd");
  const ScratchDirectory directory, fresh;
  REQUIRE(train(recipe, fresh.path(), 1, kNever) == TrainingOutcome::finished);
  Recipe other = recipe;
  other.seed = 3;
  REQUIRE(train(other, directory.path(), 1, kNever) == TrainingOutcome::finished);
  SmallRun run = make_run(recipe);
  RunDirectory anew(directory.path(), run.recipe, {{"config.json", "{}\n"}},
                    log_header(log_columns(run.objective)), ExistingRun::overwrite, ignore);
  CHECK(fs::exists(directory / "checkpoints" / "latest"));  // until it begins
  Trainer trainer(run.recipe, run.objective, &anew);
  REQUIRE(trainer.run({}) == TrainingOutcome::finished);
  check_equal(results_of(directory.path()), results_of(fresh.path()));
}
