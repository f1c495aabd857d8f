// A model of images in ViT's layout against transformers (reference/vit): the embedding of patches, each
// block, attention and logits. Sizes and settings are read from the files.
#include "families/vision/directory.hpp"

#include <doctest/doctest.h>

#include "keras_model.hpp"

using namespace headwater;

namespace {

struct VitReference {
  LoadedVisionModel files = load_vision_model(open_model(reference_path("vit")));
  const VisionModel& model = *files.model;
  Safetensors expected{reference_path("vit/expected.safetensors")};
  ImageBatch batch;
  Arena arena;

  VitReference() {
    const PatchGrid grid = model.settings().grid();
    const std::vector<float> images = read_floats(expected.at("pixel_values"));
    const Index pixels = grid.height * grid.width, size = pixels * grid.channels;
    batch.clear();
    std::vector<Real> image(size);
    for (Index first = 0; first < static_cast<Index>(images.size()); first += size) {
      for (Index i = 0; i < size; ++i)  // channels first there, last here
        image[i % pixels * grid.channels + i / pixels] = static_cast<Real>(images[first + i]);
      batch.add(image, grid);
    }
    batch.finish(grid, true);
  }
  double distance_of(const Variable& x, const std::string& name) const {
    return distance(x.value(), read_floats(expected.at(name))).absolute;
  }
};

}  // namespace

TEST_CASE_FIXTURE(VitReference, "ViT's layout: the patches' embedding and each block agree") {
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  Variable x = model.embed(context, batch);
  CHECK(distance_of(x, "hidden_0") <= kAbsolute);
  Index layer = 0;
  for (const TransformerBlock& block : model.encoder().blocks()) {
    INFO("block ", layer);
    x = block(context, x).hidden;
    CHECK(distance_of(x, "hidden_" + std::to_string(++layer)) <= kAbsolute);
  }
  CHECK(layer == model.settings().layers);
  CHECK(expected.find("hidden_" + std::to_string(layer + 1)) == nullptr);
}

TEST_CASE_FIXTURE(VitReference, "ViT's layout: attention and logits agree") {
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  std::vector<AttentionTrace> traces;
  const Variable logits = model.logits(context, model.features(context, batch, &traces));
  CHECK(distance_of(logits, "logits") <= kAbsolute);
  REQUIRE(traces.size() == static_cast<std::size_t>(model.settings().layers));
  for (const AttentionTrace& trace : traces) {
    INFO("layer ", trace.layer);
    check_attention(trace.attention, model.settings().transformer.heads,
                    read_floats(expected.at("attention_" + std::to_string(trace.layer))));
  }
}
