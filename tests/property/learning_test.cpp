// All parts together learn: copying a sentence needs positions, both attentions, the optimizer and decoding.
#include <doctest/doctest.h>

#include <chrono>

#include "decode_greedily.hpp"
#include "small_run.hpp"
#include "start_prompts.hpp"
#include "support/parallel.hpp"

using namespace headwater;

TEST_CASE("a small model learns to copy in 30 seconds" * doctest::test_suite("timed")) {
  constexpr std::int64_t kVocabulary = 14;
  Recipe recipe;
  recipe.name = "copy";
  EncoderDecoderSettings settings;
  settings.transformer.width = 32;
  settings.transformer.heads = 2;
  settings.transformer.head_width = 16;
  settings.transformer.feed_forward_width = 64;
  settings.transformer.length = 8;
  recipe.model = model_section(settings);
  recipe.training.epochs = 30;
  recipe.training.batch_sequences = 64;
  recipe.training.optimizer = {.kind = OptimizerKind::adam, .learning_rate = 4e-3};
  recipe.training.schedule = {.kind = ScheduleKind::cosine, .warmup_steps = 50};
  SmallRun run(recipe, copy_pairs(2000, 7, kVocabulary, 51), copy_pairs(200, 7, kVocabulary, 52),
               kVocabulary);
  const auto start = std::chrono::steady_clock::now();
  double loss = 0, accuracy = 0;
  std::size_t right = 0, sentences = 0;
  ThreadPool pool(2);
  pool.run([&] {
    Trainer trainer(run.recipe, run.objective, nullptr);
    trainer.warm_up();
    trainer.run({});
    const LossTotals totals = trainer.validate();
    loss = totals.mean_loss();
    accuracy = totals.accuracy();
    Arena arena;
    std::vector<Sequence> sources;
    for (const Pair& pair : copy_pairs(100, 7, kVocabulary, 53)) sources.push_back(pair.source);
    const auto copies = decode_greedily(run.model, start_prompts(packed(sources), kStart), {.end_id = kEnd});
    sentences = sources.size();
    for (std::size_t s = 0; s < sentences; ++s) right += copies[s] == sources[s];
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  INFO("validation loss ", loss, ", accuracy ", accuracy, ", ", right, " of ", sentences, " copied, ",
       seconds, " s");
  CHECK(loss < 0.05);
  CHECK(accuracy > 0.98);
  CHECK(right >= sentences * 9 / 10);
#ifndef __SANITIZE_ADDRESS__  // instrumented kernels take many times as long
  CHECK(seconds < 30);
#endif
}

TEST_CASE("every classifier learns to find one token among others") {
  for (Recipe recipe : class_recipes()) {
    if (recipe.model.kind().name == "classifier") {
      ClassifierSettings& settings = recipe.model.as<ClassifierSettings>();
      if (settings.pooling == ops::Pooling::first)
        settings.pooling = ops::Pooling::max;  // one token is too little to see all
      settings.transformer.length = 12;
      settings.transformer.dropout = settings.transformer.attention_dropout = 0;
    }
    recipe.training.epochs = 12;
    recipe.training.optimizer = {.kind = OptimizerKind::adam, .learning_rate = 5e-3};
    ClassRun run(recipe, 800, 61);
    LossTotals totals;
    ThreadPool(2).run([&] {
      Trainer trainer(run.recipe, run.objective, nullptr);
      trainer.run({});
      totals = trainer.validate();
    });
    INFO(model_name(recipe), ": loss ", totals.mean_loss(), ", accuracy ", totals.accuracy());
    CHECK(totals.predicted == 201);
    CHECK(totals.accuracy() > 0.95);
  }
}
