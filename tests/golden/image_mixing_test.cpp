// A model of images that mixes by convolution over its patches, written from its description in PyTorch
// (reference/torch/image-convolution.safetensors): logits, loss and gradients, of 3 rows of 5 patches.
#include <doctest/doctest.h>

#include <span>

#include "keras_model.hpp"
#include "models/vision.hpp"

using namespace headwater;

namespace {

VisionSettings image_convolution_settings() {
  VisionSettings settings;
  settings.mixing.mixing = "convolution";
  settings.mixing.kernel_size = 3;
  settings.transformer.width = 6;
  settings.transformer.feed_forward_width = 10;
  settings.transformer.activation = "gelu";
  settings.image_height = 6;
  settings.image_width = 10;
  settings.patch_size = 2;
  settings.pooling = "mean";
  settings.classes = 3;
  return settings;
}

struct ImageConvolution {
  Safetensors file = made_here("torch/image-convolution.safetensors");
  VisionModel model{image_convolution_settings()};
  ImageBatch batch;
  Arena arena;

  ImageConvolution() {
    model.parameters().allocate(true);
    load_reference_weights(file, model.parameters());
    const PatchGrid grid = model.settings().grid();
    const std::vector<float> images = read_floats(file.at("inputs/images"));
    const auto size = static_cast<std::size_t>(grid.height * grid.width);
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
};

}  // namespace

TEST_CASE_FIXTURE(ImageConvolution,
                  "images by convolution: logits, loss and every gradient agree with PyTorch") {
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
