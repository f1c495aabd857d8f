// The figures of a masked language model on texts are those that training's validation would have.
#include "families/masked_lm/evaluation.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <string>

#include "families/masked_lm/train_objective.hpp"
#include "text/learning/tokenizer_learner.hpp"

using namespace headwater;

namespace {

LoadedMaskedLm random_model() {
  TokenizerLearner learner({.split = SplitKind::word, .size = 20, .text_template = TextTemplate::bert});
  learner.add("the quick brown fox jumps over the lazy dog again\n");
  Tokenizer tokenizer = learner.finish();
  MaskedLmSettings settings;
  settings.transformer.width = 16;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 24;
  settings.transformer.length = 12;
  settings.next_sentence = true;
  auto model = std::make_unique<MaskedLanguageModel>(settings, tokenizer.vocabulary_size());
  model->parameters().allocate(false);
  model->parameters().initialize(1);
  const std::int32_t mask_id = mask_id_of(tokenizer, "here");
  return {"nowhere", tokenizer, std::move(model), 2, mask_id, false, settings.transformer.length};
}

// 1 to 40 words, some more than the model reads at once.
std::vector<std::string> texts() {
  const std::string words[] = {"the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog"};
  std::vector<std::string> all;
  for (std::size_t i = 0; i < 60; ++i) {
    std::string text = "again";
    for (std::size_t w = 0; w < i * 7 % 40; ++w) text += ' ' + words[(i * 3 + w * (1 + i % 7)) % 8];
    all.push_back(text);
  }
  return all;
}

// The loss of the first objective, and what it predicts, of all lines as validation texts.
LossTotals validation_of(const LoadedMaskedLm& files, const MaskedReading& reading) {
  const bool is_cut = reading.masking.examples == MaskedExamples::lines;
  TokenDataset dataset({{.name = "source",
                         .vocabulary = files.tokenizer.vocabulary_size(),
                         .max_length = is_cut ? files.model->length() - 2 : 0}});
  for (const std::string& text : texts()) {
    std::string line;
    for (const std::int32_t id : files.tokenizer.encode(text))
      line += (line.empty() ? "" : " ") + std::to_string(id);
    dataset.add_line(line, "here:1");
  }
  dataset.finish("here");
  const auto pieces = [&](const Dataset* of) {
    return std::make_unique<LinePieces>(Subset{of, {}, true}, files.tokenizer, files.model->length());
  };
  MaskedLmObjective objective(*files.model, pieces(nullptr), pieces(&dataset),
                              masking_of(reading.masking, files.tokenizer, files.mask_id), reading.seed);
  std::vector<std::uint32_t> chosen(objective.examples(Split::validation));
  std::iota(chosen.begin(), chosen.end(), 0u);
  objective.prepare(Split::validation, chosen, BatchPart::whole(static_cast<Index>(chosen.size())),
                    BatchSlot::first);
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  return objective.loss({tape}, Split::validation, BatchSlot::first);
}

}  // namespace

TEST_CASE("texts are measured as validation measures them: lines and pieces, any unit, any batch") {
  const LoadedMaskedLm files = random_model();
  for (const MaskedExamples examples : {MaskedExamples::lines, MaskedExamples::pieces}) {
    for (const MaskingUnit unit : {MaskingUnit::token, MaskingUnit::span}) {
      MaskedReading reading;
      reading.masking.examples = examples;
      reading.masking.unit = unit;
      reading.seed = 9;
      const LossTotals expected = validation_of(files, reading);
      REQUIRE(expected.parts[0].predicted > 40);
      for (const std::int64_t batch : {1, 7, 1000}) {
        MaskedLmEvaluator evaluator(files, reading, batch);
        for (const std::string& text : texts()) {
          evaluator.add_text("");
          evaluator.add_text(text);
        }
        const MaskedLmFigures& figures = evaluator.finish();
        CHECK(figures.totals.predicted == expected.parts[0].predicted);
        CHECK(figures.totals.correct == expected.parts[0].correct);
        CHECK(figures.totals.loss == doctest::Approx(expected.parts[0].loss).epsilon(1e-12));
        CHECK(figures.texts == 60);
        CHECK((figures.truncated.count() > 0) == (reading.masking.examples == MaskedExamples::lines));
        CHECK((figures.left_out > 0) == (figures.truncated.count() > 0));
        CHECK(figures.tokens.tokens == figures.ids - figures.left_out);
      }
    }
  }
}

TEST_CASE("another seed hides other tokens, the same one the same") {
  const LoadedMaskedLm files = random_model();
  const auto loss = [&](std::uint64_t seed) {
    MaskedLmEvaluator evaluator(files, {.masking = {}, .seed = seed}, 64);
    for (const std::string& text : texts()) evaluator.add_text(text);
    return evaluator.finish().totals.loss;
  };
  CHECK(loss(1) == loss(1));
  CHECK(loss(1) != loss(2));
}

TEST_CASE("what is hidden is by default as a directory without a recipe says nothing of it") {
  const LoadedMaskedLm files = random_model();
  const MaskedReading reading = masked_reading(files);
  CHECK(reading.masking == MaskingSettings{});
  CHECK(reading.seed == 1);
}
