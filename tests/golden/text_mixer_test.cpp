// A classifier whose blocks mix by a perceptron over the positions, written from its description in PyTorch,
// text by text (reference/torch/text-mixer*.safetensors): states, logits, loss and gradients of three texts
// of different lengths in one batch, packed and filled with padding.
#include <doctest/doctest.h>

#include <string>

#include "families/classifier/model.hpp"
#include "keras_model.hpp"

using namespace headwater;

namespace {

ClassifierSettings text_mixer_settings(const Safetensors& file) {
  ClassifierSettings settings;
  settings.mixing.mixing = "mlp";
  settings.mixing.mixing_width = 4;
  settings.transformer.width = 6;
  settings.transformer.feed_forward_width = 10;
  settings.transformer.norm = NormPlacement::pre;
  settings.transformer.activation = ops::Activation::gelu;
  settings.transformer.length = 7;
  settings.encoder_layers = 2;
  settings.padding = value_of<Padding>(reference_settings(file).at("padding").as_string()).value();
  settings.pooling = ops::Pooling::mean;
  settings.head.classes = 3;
  return settings;
}

struct TextMixer {
  Safetensors file;
  Classifier model;
  ClassBatch batch;
  Arena arena;

  explicit TextMixer(const std::string& name)
      : file(made_here(name)),
        model(text_mixer_settings(file), file.at("weights/embedding.tokens").shape[0]) {
    model.parameters().allocate(true);
    load_reference_weights(file, model.parameters());
    batch.clear();
    batch.labels = read_ids(file.at("inputs/labels"));
    for (std::size_t text = 0; text < batch.labels.size(); ++text) {
      const std::vector<std::int32_t> ids = read_ids(file.at("inputs/ids_" + std::to_string(text)));
      batch.add(ids, model.padded_length(static_cast<Index>(ids.size())));
    }
    batch.finish();
  }

  void check_figures(const std::string& name, const Variable& ours) {
    INFO(name);
    const Distance far = distance(ours.value(), read_floats(file.at("outputs/" + name)));
    CHECK(far.absolute <= kAbsolute);
    CHECK(far.relative <= kFigureRelative);
  }

  void check_forward() {
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    // The norm after them takes away what the outer bias adds, the same to all columns of a token.
    const TextEncoder& encoder = model.encoder();
    check_figures("blocks", encoder.blocks().run_blocks(context, encoder.embed(context, batch.source, {})));
    check_figures("logits", model.head().logits(context, model.features(context, batch)));
  }

  // Mean over the texts; leaves its gradients in the parameters.
  double loss_and_gradients() {
    arena.reset();
    model.parameters().begin_step();
    Tape tape(arena, Tape::Mode::record);
    const double texts = static_cast<double>(batch.labels.size());
    const kernels::CrossEntropyTotals totals = model.loss({tape}, batch, 0, 1 / texts);
    tape.backward();
    return totals.loss / texts;
  }

  void check() {
    check_forward();
    check_loss_and_gradients(file, model.parameters(), [&] { return loss_and_gradients(); });
  }
};

}  // namespace

TEST_CASE("text mixer: logits, loss and every gradient agree with PyTorch, where missing tokens are zero") {
  TextMixer torch("torch/text-mixer.safetensors");
  CHECK(torch.batch.source.tokens() == 12);
  torch.check();
}

TEST_CASE("text mixer: the same where padding counts as tokens") {
  TextMixer torch("torch/text-mixer-padded.safetensors");
  CHECK(torch.batch.source.tokens() == 21);
  torch.check();
}
