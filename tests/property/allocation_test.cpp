// A training step allocates nothing once two steps were made (DESIGN.md, decision 6). This file replaces the
// program's operator new to count.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "small_run.hpp"
#include "support/parallel.hpp"

namespace {

std::atomic<std::int64_t> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const p = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

constexpr std::size_t kDefault = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, kDefault); }
void* operator new[](std::size_t bytes) { return counted(bytes, kDefault); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

using namespace headwater;

TEST_CASE("a training step after the first two allocates nothing") {
  for (Recipe recipe :
       {small_recipe("rmsprop"), small_recipe("adam"), small_recipe("sgd"), wide_recipe("rmsprop")}) {
    recipe.training.epochs = 1;
    recipe.training.batch_sequences = recipe.model.length < 40 ? 8 : 32;
    recipe.training.optimizer.global_clipnorm = 1;
    const std::int64_t most_words = recipe.model.length - 1;
    SmallRun run(recipe, copy_pairs(400, most_words, 61, 31), copy_pairs(4, most_words, 61, 32), 61);
    ThreadPool pool(2);
    pool.run([&] {
      Trainer trainer(run.recipe, run.objective, nullptr);
      trainer.warm_up();
      std::int64_t before = 0, steps = 0, in_steps = 0, first = 0;
      trainer.run(after_step([&](const StepReport& report) {
        const std::int64_t now = allocations.load();
        if (report.step > 2 && now != before) {
          if (in_steps == 0) first = report.step;
          in_steps += now - before;
        }
        before = now;
        ++steps;
      }));
      INFO(recipe.training.optimizer.kind, ", width ", recipe.model.width, ": the first in step ", first);
      CHECK(steps == trainer.total_steps());
      CHECK(in_steps == 0);
    });
  }
  CHECK(allocations.load() > 1000);  // it does count
}
