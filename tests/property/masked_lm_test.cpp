// Training masked language models of every kind of example: the same bits on any number of threads, in any
// number of parts, stopped and gone on with in the middle of an epoch.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "families/masked_lm/train_texts.hpp"
#include "model_runs.hpp"
#include "same_bits.hpp"
#include "scratch_directory.hpp"
#include "small_run.hpp"
#include "support/files.hpp"
#include "support/parallel.hpp"
#include "trainer_callbacks.hpp"

using namespace headwater;

namespace {

std::vector<Real> trained(const Recipe& recipe, int threads) {
  MaskedRun run(recipe);
  ThreadPool(threads).run([&] {
    Trainer trainer(run.recipe, run.objective, nullptr);
    trainer.run({});
  });
  const std::span<const Real> values = run.model.parameters().values();
  return {values.begin(), values.end()};
}

// What a run leaves, stopped after step `stop`, gone on with, on so many threads.
std::map<std::string, std::string> files_after(const Recipe& recipe, const fs::path& directory,
                                               std::vector<std::pair<std::int64_t, int>> runs) {
  for (const auto& [stop, threads] : runs) {
    MaskedRun run(recipe);
    RunDirectory run_directory(directory, run.recipe, {{"config.json", "{}\n"}},
                               log_header(log_columns(run.objective)), ExistingRun::resume,
                               [](const std::string&) {});
    ThreadPool(threads).run([&, last = stop] {
      Trainer trainer(run.recipe, run.objective, &run_directory);
      trainer.warm_up();
      trainer.run(wants_stop([&] { return trainer.state().step >= last; }));
    });
  }
  std::map<std::string, std::string> files{{"log.csv", log_without_times(directory)}};
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"})
    files[name] = read_file(directory / "checkpoints" / "latest" / name);
  return files;
}

}  // namespace

TEST_CASE("masked language models: the same bits on one thread and on two, in one part and in eight") {
  for (const auto& [examples, unit] : kMaskedKinds) {
    INFO(std::string(name_of(examples)), ", ", std::string(name_of(unit)));
    Recipe recipe = masked_recipe(examples, unit);
    const std::vector<Real> expected = trained(recipe, 1);
    CHECK(same_bits(trained(recipe, 2), expected));
    for (const std::int64_t parts : {2, 8}) {
      recipe.training.accumulate = parts;
      CHECK(same_bits(trained(recipe, 2), expected));
    }
  }
}

TEST_CASE("masked language models: a run stopped in the middle of an epoch goes on with the same bits") {
  for (const auto& [examples, unit] : kMaskedKinds) {
    INFO(std::string(name_of(examples)), ", ", std::string(name_of(unit)));
    const Recipe recipe = masked_recipe(examples, unit);
    const ScratchDirectory scratch;
    const auto whole = files_after(recipe, scratch.path() / "whole", {{1'000'000, 2}});
    const auto parts = files_after(recipe, scratch.path() / "parts", {{3, 1}, {8, 2}, {1'000'000, 1}});
    CHECK((whole == parts));
  }
}

TEST_CASE("masked language models: other tokens are hidden in the second epoch, validation stays") {
  MaskedRun run(masked_recipe(MaskedExamples::pieces, MaskingUnit::token));
  const std::vector<std::uint32_t> chosen{0, 1, 2, 3};
  const auto loss_of = [&](Split split, std::int64_t epoch) {
    run.objective.begin_epoch(epoch);
    run.objective.prepare(split, chosen, BatchPart::whole(4), BatchSlot::first);
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    return run.objective.loss({tape}, split, BatchSlot::first).loss;
  };
  run.model.parameters().initialize(1);
  CHECK(loss_of(Split::train, 0) == loss_of(Split::train, 0));
  CHECK(loss_of(Split::train, 0) != loss_of(Split::train, 1));
  CHECK(loss_of(Split::validation, 0) == loss_of(Split::validation, 1));
}

TEST_CASE("masked language models: pieces of a document are all of it, in order") {
  MaskedRun run(masked_recipe(MaskedExamples::pieces, MaskingUnit::token));
  const auto& lines = static_cast<const TokenDataset&>(*run.train);
  const auto texts = run.texts(*run.train);
  PairedText text;
  std::vector<std::int32_t> all, expected;
  for (std::uint32_t i = 0; i < texts->count(); ++i) {
    texts->read(i, {}, text);
    CHECK(texts->name(i) == i);
    CHECK(static_cast<std::int64_t>(text.ids.size()) == texts->most_tokens(i));
    CHECK(text.ids.size() <= kMaskedLength);
    CHECK(text.ids.front() == 2);
    CHECK(text.ids.back() == 3);
    all.insert(all.end(), text.ids.begin() + 1, text.ids.end() - 1);
  }
  for (std::int64_t i = 0; i < lines.examples(); ++i)
    expected.insert(expected.end(), lines.ids(0, i).begin(), lines.ids(0, i).end());
  CHECK(all == expected);
}

TEST_CASE("pairs of sentences: half of the second texts come from another document") {
  MaskedRun run(masked_recipe(MaskedExamples::sentence_pairs, MaskingUnit::token));
  const auto texts = run.texts(*run.train);
  const auto& documents = static_cast<const DocumentDataset&>(*run.train);
  // Every run of words of a document.
  std::vector<std::string> whole;
  const auto text_of = [](std::span<const std::int32_t> ids) {
    std::string all = " ";
    for (const std::int32_t id : ids) all += std::to_string(id) + " ";
    return all;
  };
  for (std::int64_t d = 0; d < documents.examples(); ++d) {
    std::vector<std::int32_t> ids;
    for (std::int64_t s = documents.first_sentence(d); s < documents.first_sentence(d + 1); ++s)
      ids.insert(ids.end(), documents.ids(s).begin(), documents.ids(s).end());
    whole.push_back(text_of(ids));
  }
  PairedText text;
  double pairs = 0, random = 0;
  for (std::uint32_t epoch = 0; epoch < 200; ++epoch) {
    for (std::uint32_t i = 0; i < texts->count(); ++i) {
      texts->read(i, {.seed = 1, .purpose = Purpose::masking, .layer = texts->name(i), .step = epoch}, text);
      ++pairs;
      random += text.is_random;
      REQUIRE(text.ids.size() <= kMaskedLength);
      REQUIRE(text.segment_of.size() == text.ids.size());
      CHECK(!text.first.empty());
      CHECK(!text.second.empty());
      CHECK(std::count(text.ids.begin(), text.ids.end(), 3) == 2);
      const std::size_t ones = std::count(text.segment_of.begin(), text.segment_of.end(), 1);
      CHECK(ones == text.second.size() + 1);
      std::vector<std::int32_t> both = text.first;
      both.insert(both.end(), text.second.begin(), text.second.end());
      const bool is_cut = text.ids.size() == kMaskedLength;  // the first may have lost its end
      if (text.is_random || is_cut) continue;
      CHECK(std::any_of(whole.begin(), whole.end(), [&](const std::string& document) {
        return document.find(text_of(both)) != document.npos;
      }));
    }
  }
  CHECK(std::abs(random - pairs / 2) <= 3 * std::sqrt(pairs / 4));
}
