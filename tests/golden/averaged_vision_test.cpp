// The teaching example's vision Transformer (recipe mnist-vit-source), written from its description in
// PyTorch, head by head (reference/torch/averaged-vision.safetensors): logits, attention, loss and gradients.
#include <doctest/doctest.h>

#include <cmath>
#include <span>

#include "families/vision/model.hpp"
#include "keras_model.hpp"

using namespace headwater;

namespace {

VisionSettings settings_of(const Safetensors& file) {
  const Json json = reference_settings(file);
  const auto shape = [&](const std::string& name) { return file.at(name).shape; };
  VisionSettings settings;
  settings.mixing.mixing = "averaged_attention";
  settings.transformer.width = shape("weights/embedding.class_token")[0];
  settings.transformer.heads = json.at("heads").as_integer();
  settings.transformer.head_width = settings.transformer.width;
  settings.transformer.feed_forward_width = shape("weights/encoder.0.feed_forward.inner.bias")[0];
  settings.transformer.norm = NormPlacement::pre;
  settings.transformer.norm_epsilon = json.at("norm_epsilon").as_number();
  settings.transformer.activation = ops::Activation::gelu;
  settings.layers = json.at("blocks").as_integer();
  settings.final_norm = settings.class_token_position = false;
  settings.image_height = shape("inputs/images")[1];
  settings.image_width = shape("inputs/images")[2];
  settings.patch_size = json.at("patch").as_integer();
  settings.head_widths = {shape("weights/hidden.0.bias")[0]};
  settings.classes = shape("weights/head.bias")[0];
  return settings;
}

struct AveragedReference {
  Safetensors file = made_here("torch/averaged-vision.safetensors");
  VisionModel model{settings_of(file)};
  ImageBatch batch;
  Arena arena;

  AveragedReference() {
    model.parameters().allocate(true);
    load_reference_weights(file, model.parameters());
    const PatchGrid grid = model.settings().grid();
    const std::vector<float> images = read_floats(file.at("inputs/images"));
    const std::size_t size = grid.height * grid.width;
    for (std::size_t at = 0; at < images.size(); at += size)
      batch.add(std::span<const Real>(images).subspan(at, size), grid);
    batch.labels = read_ids(file.at("inputs/labels"));
    batch.finish(grid, true);
  }
};

}  // namespace

TEST_CASE_FIXTURE(AveragedReference, "heads that are averaged: logits and attention agree with PyTorch") {
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  std::vector<AttentionTrace> traces;
  const Variable logits = model.logits(context, model.features(context, batch, &traces));
  CHECK(distance(logits.value(), read_floats(file.at("outputs/logits"))).absolute <= kAbsolute);
  REQUIRE(traces.size() == static_cast<std::size_t>(model.settings().layers));
  for (const AttentionTrace& trace : traces) {
    INFO("layer ", trace.layer);
    check_attention(trace.attention, model.settings().transformer.heads,
                    read_floats(file.at("outputs/attention_" + std::to_string(trace.layer))));
  }
}

TEST_CASE_FIXTURE(AveragedReference, "heads that are averaged: loss and gradients agree with PyTorch") {
  Tape tape(arena, Tape::Mode::record);
  model.parameters().begin_step();
  const double images = static_cast<double>(batch.labels.size());
  const double loss = model.loss({tape}, batch, 0, 1 / images).loss / images,
               theirs = static_cast<double>(read_floats(file.at("outputs/loss"))[0]);
  tape.backward();
  CHECK(std::abs(loss - theirs) <= kLossRelative * theirs);
  for_each_parameter(file, "gradients", model.parameters(), [](Parameter& p, const TensorView& tensor) {
    INFO(p.name);
    CHECK(distance(p.gradient.values, read_floats(tensor)).absolute <= kAbsolute);
  });
}
