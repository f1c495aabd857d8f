// The language model against Keras (reference/keras/language-model.safetensors): logits, attention, loss,
// gradients and five steps of each optimizer. Sizes and settings are read from the file.
#include "families/language_model/model.hpp"

#include <doctest/doctest.h>

#include "keras_model.hpp"

using namespace headwater;

namespace {

LanguageModelSettings settings_of(const Safetensors& file) {
  const Json json = reference_settings(file);
  const auto shape = [&](const std::string& name) { return file.at("weights/" + name).shape; };
  LanguageModelSettings settings;
  settings.transformer.width = shape("head/kernel")[0];
  settings.transformer.heads = json.at("heads").as_integer();
  settings.transformer.head_width = json.at("key_size").as_integer();
  settings.transformer.feed_forward_width = shape("decoder/ff_1/kernel")[1];
  settings.transformer.length = shape("embedding/positions/embeddings")[0];
  settings.transformer.norm_epsilon = json.at("norm_epsilon").as_number();
  return settings;
}

TokenBatch batch_of(const Safetensors& file) {
  const std::vector<std::int32_t> ids = read_ids(file.at("inputs/ids"));
  const std::size_t width = file.at("inputs/ids").shape[1];
  TokenBatch batch;
  batch.clear();
  for (std::size_t at = 0; at < ids.size(); at += width) batch.tokens.add(std::span(ids).subspan(at, width));
  batch.labels = read_ids(file.at("inputs/targets"));
  batch.finish();
  return batch;
}

struct Golden {
  Safetensors file{reference_path("keras/language-model.safetensors")};
  TokenBatch batch = batch_of(file);
  LanguageModel model{settings_of(file), file.at("weights/head/kernel").shape[1]};
  Arena arena;

  Golden() {
    model.parameters().allocate(true);
    load_reference_weights(file, model.parameters());
  }

  // Mean over all tokens; leaves its gradients in the parameters.
  double loss_and_gradients() {
    arena.reset();
    model.parameters().begin_step();
    Tape tape(arena, Tape::Mode::record);
    const double tokens = static_cast<double>(batch.labels.size());
    const kernels::CrossEntropyTotals totals = model.loss({tape}, batch, 0, 1 / tokens);
    tape.backward();
    return totals.loss / tokens;
  }
};

}  // namespace

TEST_CASE_FIXTURE(Golden, "language model: logits and attention agree with Keras") {
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  std::vector<AttentionTrace> traces;
  const Variable logits = model.logits(context, model.decode(context, batch.tokens, &traces));
  CHECK(distance(logits.value(), read_floats(file.at("outputs/logits"))).absolute <= kAbsolute);
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].kind == AttentionKind::decoder);
  check_attention(traces[0].attention, model.settings().transformer.heads,
                  read_floats(file.at("outputs/attention")));
}

TEST_CASE_FIXTURE(Golden, "language model: loss and every gradient agree with Keras") {
  check_loss_and_gradients(file, model.parameters(), [&] { return loss_and_gradients(); });
}

TEST_CASE_FIXTURE(Golden, "language model: five steps of each optimizer agree with Keras") {
  check_optimizers(file, model.parameters(), [&] { return loss_and_gradients(); });
}
