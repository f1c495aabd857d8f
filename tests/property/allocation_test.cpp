// A training step allocates nothing once two steps were made (libcore/README.md, decision 6). This file
// replaces the program's operator new to count.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "small_run.hpp"
#include "support/parallel.hpp"

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

using namespace headwater;

namespace {

struct Count {
  std::int64_t steps = 0, allocations = 0,
               first = 0;  // after the second step, and where the first of them was
};

Count count_in_steps(const Recipe& recipe, Objective& objective, int threads) {
  Count count;
  ThreadPool pool(threads);
  pool.run([&] {
    Trainer trainer(recipe, objective, nullptr);
    trainer.warm_up();
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

}  // namespace

TEST_CASE("a training step after the first two allocates nothing") {
  for (const Recipe& recipe : recipes()) {
    const Count count = count_in_steps(recipe, 1);
    INFO(recipe.training.optimizer.kind, ", width ",
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

TEST_CASE("a thread that joins late brings its own scratch once, not in each step") {
  for (const Recipe& recipe : recipes()) {
    const Count count = count_in_steps(recipe, 3);
    INFO(recipe.training.optimizer.kind, ", width ",
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
}
