// A training step allocates nothing once two steps were made (libcore/README.md, decision 6). This file
// replaces the program's operator new to count.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "every_word.hpp"
#include "model_runs.hpp"
#include "small_run.hpp"
#include "support/parallel.hpp"
#include "unusual_mixing.hpp"

namespace {

std::atomic<std::int64_t> allocations{0};

void* allocate(std::size_t bytes, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const p = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

#include "replaced_new.hpp"  // IWYU pragma: keep
#include "trainer_callbacks.hpp"

using namespace headwater;

namespace {

struct Count {
  std::int64_t steps = 0, allocations = 0,
               first = 0;                  // after the second step, and where the first of them was
  std::size_t arena = 0, whole_arena = 0;  // bytes before the first step, and after steps and validation
};

Count count_in_steps(const Recipe& recipe, Objective& objective, int threads) {
  Count count;
  ThreadPool pool(threads);
  pool.run([&] {
    Trainer trainer(recipe, objective, nullptr);
    count.arena = trainer.warm_up();
    std::int64_t before = 0;
    trainer.run(after_step([&](const StepReport& report) {
      const std::int64_t now = allocations.load();
      if (report.step > 2 && now != before) {
        if (count.allocations == 0) count.first = report.step;
        count.allocations += now - before;
      }
      before = now;
      ++count.steps;
    }));
    count.whole_arena = trainer.warm_up();
  });
  return count;
}

Count count_in_steps(const Recipe& recipe, int threads) {
  const std::int64_t max_words = recipe.model.as<EncoderDecoderSettings>().transformer.length - 1;
  SmallRun run(recipe, copy_pairs(400, max_words, 61, 31), copy_pairs(4, max_words, 61, 32), 61);
  return count_in_steps(run.recipe, run.objective, threads);
}

Count count_in_class_steps(Recipe recipe, int threads) {
  recipe.training.epochs = 1;
  ClassRun run(std::move(recipe), 400, 33);
  return count_in_steps(run.recipe, run.objective, threads);
}

std::vector<Recipe> recipes() {
  std::vector<Recipe> recipes{small_recipe("rmsprop"), small_recipe("adam"), small_recipe("sgd"),
                              wide_recipe("rmsprop")};
  for (Recipe& recipe : recipes) {
    recipe.training.epochs = 1;  // an epoch begins by drawing its order
    recipe.training.batch_sequences = 8;
    recipe.training.optimizer.global_clipnorm = 1;
  }
  recipes.back().training.ema_decay = 0.9;
  recipes.push_back(recipes.front());
  recipes.back().training.accumulate = 4;
  recipes.push_back(recipes.front());
  recipes.back().training.r_drop = 5;
  return recipes;
}

// A kind of run, and what a step of it allocates on so many threads.
struct RunKind {
  std::string name;
  std::function<Count(int threads)> count;
};

// One epoch, as it begins by drawing its order, of many small batches.
Recipe with_many_steps(Recipe recipe) {
  recipe.training.epochs = 1;
  recipe.training.batch_sequences = 4;
  recipe.training.optimizer.global_clipnorm = 1;
  return recipe;
}

template <class Run>
RunKind kind_of_run(std::string name, const Recipe& recipe) {
  return {std::move(name), [used = with_many_steps(recipe)](int threads) {
            Run run(used);
            return count_in_steps(used, run.objective, threads);
          }};
}

Recipe language_model_recipe(const LanguageModelSettings& settings) {
  Recipe recipe = small_recipe("adam");
  recipe.data.columns = {"source"};
  recipe.model = model_section(settings);
  return recipe;
}

void add_language_models(std::vector<RunKind>& kinds) {
  LanguageModelSettings settings = small_language_model();
  for (const DataExamples examples : {DataExamples::blocks, DataExamples::random}) {
    Recipe recipe = language_model_recipe(settings);
    recipe.data.examples = examples;
    kinds.push_back(kind_of_run<WindowsRun>("windows: " + std::string(name_of(examples)), recipe));
  }
  for (const auto& [name, section] : with_every_word(model_section(settings))) {
    if (name.starts_with("mixing: ")) continue;
    kinds.push_back(kind_of_run<LanguageModelRun>(
        "lines: " + name, language_model_recipe(section.as<LanguageModelSettings>())));
  }
  for (const MixerKind* const mixer : mixer_kinds()) {
    if (!mixer->takes_steps && !mixer->has_attention) continue;  // it cannot be causal
    settings = small_language_model();
    settings.mixing.mixing = mixer->name;
    if (mixer->is_recurrent) settings.transformer.positions = Positions::none;
    fit_heads(settings.transformer, *mixer);
    kinds.push_back(
        kind_of_run<LanguageModelRun>("lines: " + settings.mixing.mixing, language_model_recipe(settings)));
  }
  settings = small_language_model();
  settings.delimiter = "[SEP]";
  kinds.push_back(kind_of_run<LanguageModelRun>("lines: two columns", language_model_recipe(settings)));
  Recipe in_parts = language_model_recipe(small_language_model());
  in_parts.training.accumulate = 2;
  kinds.push_back(kind_of_run<LanguageModelRun>("lines: in two parts", in_parts));
}

void add_models_of_images(std::vector<RunKind>& kinds) {
  const auto add = [&](const std::string& name, const VisionSettings& settings) {
    Recipe recipe = small_recipe("adam");
    recipe.model = model_section(settings);
    kinds.push_back(kind_of_run<VisionRun>("images: " + name, recipe));
  };
  VisionSettings settings = small_vision();
  settings.pooling = ImagePooling::flatten;
  add("flattened", settings);
  settings = small_vision();
  settings.images.normalization = Normalization::unit;
  settings.images.random_flip = RandomFlip::horizontal;
  settings.images.random_rotation = settings.images.random_zoom_height = settings.images.random_zoom_width =
      0.1;
  settings.images.random_crop_padding = 1;
  add("class token, changed at random", settings);
  settings = small_vision();
  settings.image_height = 4;
  for (const Resizing resizing : {Resizing::bilinear, Resizing::crop}) {
    settings.images.resizing = resizing;
    add("resized: " + std::string(name_of(resizing)), settings);
  }
}

std::vector<RunKind> other_kinds() {
  std::vector<RunKind> kinds;
  add_language_models(kinds);
  for (const auto& [examples, unit] : kMaskedKinds) {
    kinds.push_back(kind_of_run<MaskedRun>(
        "masked: " + std::string(name_of(examples)) + ", " + std::string(name_of(unit)),
        masked_recipe(examples, unit)));
  }
  add_models_of_images(kinds);
  for (const Recipe& recipe : decoder_recipes()) {
    const EncoderDecoderSettings& settings = recipe.model.as<EncoderDecoderSettings>();
    kinds.push_back(
        {"encoder-decoder: " + settings.mixing.mixing + ", " +
             std::string(name_of(settings.transformer.norm)) +
             (settings.additive_attention ? ", additive attention" : ""),
         [used = with_many_steps(recipe)](int threads) { return count_in_steps(used, threads); }});
  }
  return kinds;
}

}  // namespace

TEST_CASE("a training step after the first two allocates nothing") {
  for (const Recipe& recipe : recipes()) {
    const Count count = count_in_steps(recipe, 1);
    INFO(std::string(name_of(recipe.training.optimizer.kind)), ", width ",
         recipe.model.as<EncoderDecoderSettings>().transformer.width, ": the first in step ", count.first);
    CHECK(count.steps == 50);
    CHECK(count.allocations == 0);
  }
  CHECK(allocations.load() > 1000);  // it does count
}

TEST_CASE("a training step of a classifier after the first two allocates nothing") {
  for (const Recipe& recipe : class_recipes()) {
    const Count count = count_in_class_steps(recipe, 1);
    INFO(model_name(recipe), ": the first in step ", count.first);
    CHECK(count.steps == 50);
    CHECK(count.allocations == 0);
  }
}

TEST_CASE("a training step of any other kind of model after the first two allocates nothing") {
  for (const RunKind& kind : other_kinds()) {
    const Count count = kind.count(1);
    INFO(kind.name, ": the first in step ", count.first);
    CHECK(count.steps >= 10);
    CHECK(count.allocations == 0);
    // How long pairs of sentences are is drawn, so that batches as small as these differ.
    CHECK(count.whole_arena <= count.arena * 12 / 10);
  }
}

TEST_CASE("a thread that joins late brings its own scratch once, not in each step") {
  for (const Recipe& recipe : recipes()) {
    const Count count = count_in_steps(recipe, 3);
    INFO(std::string(name_of(recipe.training.optimizer.kind)), ", width ",
         recipe.model.as<EncoderDecoderSettings>().transformer.width, ": the first in step ", count.first);
    CHECK(count.steps == 50);
    CHECK(count.allocations <= 3 * 6);  // threads, growths of each
  }
  for (const Recipe& recipe : class_recipes()) {
    const Count count = count_in_class_steps(recipe, 3);
    INFO(model_name(recipe), ": the first in step ", count.first);
    CHECK(count.steps == 50);
    CHECK(count.allocations <= 3 * 6);
  }
  for (const RunKind& kind : other_kinds()) {
    const Count count = kind.count(3);
    INFO(kind.name, ": the first in step ", count.first);
    CHECK(count.steps >= 10);
    CHECK(count.allocations <= 3 * 6);
  }
}
