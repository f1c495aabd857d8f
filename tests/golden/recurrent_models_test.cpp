// Recurrent models of texts, written from their description in PyTorch, text by text (reference/torch):
// logits, loss and gradients of texts of different lengths in one batch.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "families/classifier/model.hpp"
#include "families/language_model/model.hpp"
#include "keras_model.hpp"

using namespace headwater;

namespace {

TransformerSettings recurrent_settings() {
  TransformerSettings settings;
  settings.width = 6;
  settings.positions = Positions::none;
  settings.length = 7;
  return settings;
}

std::vector<std::vector<std::int32_t>> texts_of(const Safetensors& file, int count) {
  std::vector<std::vector<std::int32_t>> texts;
  for (int text = 0; text < count; ++text)
    texts.push_back(read_ids(file.at("inputs/ids_" + std::to_string(text))));
  return texts;
}

template <class Logits>
void check_logits(const Safetensors& file, const Logits& logits_of) {
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const Variable logits = logits_of(ForwardContext{tape});
  const Distance far = distance(logits.value(), read_floats(file.at("outputs/logits")));
  CHECK(far.absolute <= kAbsolute);
  CHECK(far.relative <= kFigureRelative);
}

// Loss and gradients of the mean over so many predictions.
template <class Model, class Batch>
void check_training(const Safetensors& file, Model& model, const Batch& batch, std::size_t predictions) {
  Arena arena;
  check_loss_and_gradients(file, model.parameters(), [&] {
    arena.reset();
    model.parameters().begin_step();
    Tape tape(arena, Tape::Mode::record);
    const double count = static_cast<double>(predictions);
    const kernels::CrossEntropyTotals totals = model.loss({tape}, batch, 0, 1 / count);
    tape.backward();
    return totals.loss / count;
  });
}

}  // namespace

TEST_CASE("classifier of two-directional LSTMs: logits, loss and every gradient agree with PyTorch") {
  const Safetensors file = made_here("torch/recurrent-classifier.safetensors");
  ClassifierSettings settings;
  settings.transformer = recurrent_settings();
  settings.mixing = {.mixing = "lstm", .bidirectional = true};
  settings.encoder_layers = 2;
  settings.pooling = ops::Pooling::mean;
  settings.head.classes = 3;
  Classifier model(settings, 11);
  model.parameters().allocate(true);
  load_reference_weights(file, model.parameters());
  ClassBatch batch;
  batch.clear();
  batch.labels = read_ids(file.at("inputs/labels"));
  for (const std::vector<std::int32_t>& ids : texts_of(file, 3)) batch.add(ids);
  batch.finish();
  check_logits(file, [&](const ForwardContext& context) {
    return model.head().logits(context, model.features(context, batch));
  });
  check_training(file, model, batch, batch.labels.size());
}

TEST_CASE("language model of GRUs with the reset before the product: the same") {
  const Safetensors file = made_here("torch/recurrent-language-model.safetensors");
  LanguageModelSettings settings;
  settings.transformer = recurrent_settings();
  settings.mixing = {.mixing = "gru", .reset_after = false};
  settings.layers = 2;
  LanguageModel model(settings, 11);
  model.parameters().allocate(true);
  load_reference_weights(file, model.parameters());
  TokenBatch batch;
  batch.clear();
  for (const std::vector<std::int32_t>& ids : texts_of(file, 2)) batch.add(ids);
  batch.finish();
  check_logits(file, [&](const ForwardContext& context) {
    return model.logits(context, model.decode(context, batch.tokens));
  });
  check_training(file, model, batch, batch.labels.size());
}
