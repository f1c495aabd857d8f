// FLOPs by matrix: what they leave over is attention, and an output layer that shares a table.
#include "layers/transformer_stack.hpp"

#include <doctest/doctest.h>

#include <map>

#include "families/translator/model.hpp"
#include "models/settings.hpp"

using namespace headwater;

namespace {

constexpr double kWidth = 8, kInner = 12, kLength = 6, kWords = 20;

EncoderDecoderSettings settings() {
  EncoderDecoderSettings s;
  s.transformer.width = 8;
  s.transformer.heads = 2;
  s.transformer.head_width = 4;
  s.transformer.feed_forward_width = 12;
  s.transformer.length = 6;
  return s;
}

template <class Model>
std::map<std::string, LayerSummary> layers_of(const Model& model) {
  std::map<std::string, LayerSummary> layers;
  Index listed = 0;
  for (const LayerSummary& layer : model.summary()) {
    Index in_layer = 0;
    for (const TensorSummary& tensor : layer.tensors) in_layer += tensor.parameters;
    CHECK(in_layer == layer.parameters);
    CHECK(layer.other_flops() >= 0);
    listed += in_layer;
    layers[layer.name] = layer;
  }
  CHECK(listed == model.parameters().size());
  return layers;
}

}  // namespace

TEST_CASE("matrices are multiplied once a token; scores and weighted sums are what is left") {
  EncoderDecoder model(settings(), 20, 20);
  model.parameters().allocate(false);
  std::map<std::string, LayerSummary> layers = layers_of(model);
  const double scores = 2 * 2 * kLength * kLength * kWidth;
  CHECK(layers["encoder.0"].other_flops() == doctest::Approx(scores));
  CHECK(layers["decoder.0"].other_flops() == doctest::Approx(2 * scores));
  CHECK(layers["head"].other_flops() == doctest::Approx(0));
  for (const TensorSummary& tensor : layers["encoder.0"].tensors) {
    CAPTURE(tensor.name);
    if (tensor.name == "encoder.0.feed_forward.inner.weight")
      CHECK(tensor.flops == doctest::Approx(2 * kLength * kWidth * kInner));
    if (tensor.name.ends_with(".bias") || tensor.name.ends_with(".gamma")) CHECK(tensor.flops == 0);
  }
  for (const TensorSummary& tensor : layers["source_embedding"].tensors) CHECK(tensor.flops == 0);
}

TEST_CASE("an output layer with the table of the embedding has no matrix of its own") {
  EncoderDecoderSettings tied = settings();
  tied.share_embeddings = SharedEmbeddings::all;
  EncoderDecoder model(tied, 20, 20);
  model.parameters().allocate(false);
  CHECK(layers_of(model)["head"].other_flops() == doctest::Approx(2 * kLength * kWidth * kWords));
}
