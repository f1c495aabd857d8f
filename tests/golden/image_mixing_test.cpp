// Models of images that mix by convolution and by a perceptron over their patches, written from their
// description in PyTorch (reference/torch/image-convolution.safetensors, image-mixer.safetensors): logits,
// loss and gradients, of 3 rows of 5 patches.
#include <doctest/doctest.h>

#include <span>
#include <string>

#include "families/vision/model.hpp"
#include "keras_model.hpp"

using namespace headwater;

namespace {

VisionSettings mixing_settings() {
  VisionSettings settings;
  settings.transformer.width = 6;
  settings.transformer.feed_forward_width = 10;
  settings.transformer.activation = ops::Activation::gelu;
  settings.image_height = 6;
  settings.image_width = 10;
  settings.patch_size = 2;
  settings.pooling = ImagePooling::mean;
  settings.classes = 3;
  return settings;
}

VisionSettings convolution_settings() {
  VisionSettings settings = mixing_settings();
  settings.mixing.mixing = "convolution";
  settings.mixing.kernel_size = 3;
  return settings;
}

VisionSettings mixer_settings() {
  VisionSettings settings = mixing_settings();
  settings.mixing.mixing = "mlp";
  settings.mixing.mixing_width = 4;
  settings.transformer.norm = NormPlacement::pre;
  settings.transformer.positions = Positions::none;
  settings.layers = 2;
  return settings;
}

struct ImageMixing {
  Safetensors file;
  VisionModel model;
  ImageBatch batch;
  Arena arena;

  ImageMixing(const std::string& name, const VisionSettings& settings)
      : file(made_here(name)), model(settings) {
    model.parameters().allocate(true);
    load_reference_weights(file, model.parameters());
    const PatchGrid grid = model.settings().grid();
    const std::vector<float> images = read_floats(file.at("inputs/images"));
    const std::size_t size = grid.height * grid.width;
    for (std::size_t at = 0; at < images.size(); at += size)
      batch.add(std::span(images).subspan(at, size), grid);
    batch.labels = read_ids(file.at("inputs/labels"));
    batch.finish(grid, false);
  }

  // Mean over the images; leaves its gradients in the parameters.
  double loss_and_gradients() {
    arena.reset();
    model.parameters().begin_step();
    Tape tape(arena, Tape::Mode::record);
    const double images = static_cast<double>(batch.labels.size());
    const kernels::CrossEntropyTotals totals = model.loss({tape}, batch, 0, 1 / images);
    tape.backward();
    return totals.loss / images;
  }

  void check() {
    {
      Tape tape(arena, Tape::Mode::inference);
      const ForwardContext context{tape};
      const Variable logits = model.logits(context, model.features(context, batch));
      const Distance far = distance(logits.value(), read_floats(file.at("outputs/logits")));
      CHECK(far.absolute <= kAbsolute);
      CHECK(far.relative <= kFigureRelative);
    }
    check_loss_and_gradients(file, model.parameters(), [&] { return loss_and_gradients(); });
  }
};

}  // namespace

TEST_CASE("images by convolution: logits, loss and every gradient agree with PyTorch") {
  ImageMixing("torch/image-convolution.safetensors", convolution_settings()).check();
}

TEST_CASE("images by a perceptron over the patches: the same") {
  ImageMixing("torch/image-mixer.safetensors", mixer_settings()).check();
}
