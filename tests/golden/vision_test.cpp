// The vision model against Keras (reference/keras/vision.safetensors): logits and attention. Sizes and
// settings are read from the file.
#include "families/vision/model.hpp"

#include <doctest/doctest.h>

#include "keras_model.hpp"

using namespace headwater;

namespace {

VisionSettings settings_of(const Safetensors& file) {
  const Json json = reference_settings(file);
  const auto shape = [&](const std::string& name) { return file.at(name).shape; };
  VisionSettings settings;
  settings.transformer.width = shape("weights/patches/kernel")[1];
  settings.transformer.heads = json.at("heads").as_integer();
  settings.transformer.head_width = json.at("key_size").as_integer();
  settings.transformer.feed_forward_width = shape("weights/block_0_mlp_1/kernel")[1];
  settings.transformer.norm = NormPlacement::pre;
  settings.transformer.norm_epsilon = json.at("norm_epsilon").as_number();
  settings.transformer.activation = ops::Activation::gelu;
  settings.has_second_activation = true;
  settings.layers = json.at("blocks").as_integer();
  settings.image_height = shape("inputs/images")[1];
  settings.image_width = shape("inputs/images")[2];
  settings.channels = shape("inputs/images")[3];
  settings.patch_size = json.at("patch").as_integer();
  settings.pooling = ImagePooling::flatten;
  settings.head_widths = {shape("weights/head_1/kernel")[1], shape("weights/head_2/kernel")[1]};
  settings.classes = shape("weights/logits/kernel")[1];
  return settings;
}

// "block_0_mlp_1" and others, as the words of the other models' files.
std::string encoder_decoder_name(std::string name) {
  const std::pair<std::string, std::string> words[] = {{"_attention/", "/self_attention/"},
                                                       {"_norm_", "/norm_"},
                                                       {"_mlp_", "/ff_"},
                                                       {"block_", "encoder."},
                                                       {"head_1", "hidden.0"},
                                                       {"head_2", "hidden.1"},
                                                       {"logits/", "head/"},
                                                       {"patches/", "embedding/patch/"},
                                                       {"positions/", "embedding/"}};
  if (name.starts_with("norm/")) name = "encoder." + name;
  for (const auto& [theirs, ours] : words) {
    const std::size_t at = name.find(theirs);
    if (at != std::string::npos) name.replace(at, theirs.size(), ours);
  }
  return name;
}

}  // namespace

TEST_CASE("vision model: logits and attention agree with Keras") {
  const Safetensors file(reference_path("keras/vision.safetensors"));
  VisionModel model(settings_of(file));
  model.parameters().allocate(false);
  load_reference_weights(file, model.parameters(), encoder_decoder_name);
  const PatchGrid grid = model.settings().grid();
  const std::vector<float> images = read_floats(file.at("inputs/images"));
  const std::size_t size = grid.height * grid.width * grid.channels;
  ImageBatch batch;
  batch.clear();
  for (std::size_t at = 0; at < images.size(); at += size)
    batch.add(std::span(images).subspan(at, size), grid);
  batch.finish(grid, model.settings().has_class_token());

  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  std::vector<AttentionTrace> traces;
  const Variable logits = model.logits(context, model.features(context, batch, &traces));
  CHECK(distance(logits.value(), read_floats(file.at("outputs/logits"))).absolute <= kAbsolute);
  REQUIRE(traces.size() == static_cast<std::size_t>(model.settings().layers));
  for (const AttentionTrace& trace : traces) {
    INFO("layer ", trace.layer);
    CHECK(trace.kind == AttentionKind::encoder);
    check_attention(trace.attention, model.settings().transformer.heads,
                    read_floats(file.at("outputs/attention_" + std::to_string(trace.layer))));
  }
}
