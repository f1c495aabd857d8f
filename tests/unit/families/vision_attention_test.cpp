// The attention of vision Transformers for one image, beside what the model hands out of a forward pass.
#include "families/vision/attention.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "error_text.hpp"

using namespace headwater;

namespace {

// 2x3 patches of 2x2 pixels; the images are 5x7, so that a row and a column are in no patch.
VisionSettings seen_settings(ImagePooling pooling) {
  VisionSettings settings;
  settings.transformer.width = 8;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 12;
  settings.layers = 3;
  settings.image_height = 5;
  settings.image_width = 7;
  settings.patch_size = 2;
  settings.classes = 3;
  settings.pooling = pooling;
  return settings;
}

VisionTracer small_vision_tracer(const VisionSettings& settings) {
  LoadedVisionModel files{
      {}, LabelSet::parse("a\nb\nc\n", "labels"), {}, std::make_unique<VisionModel>(settings)};
  files.model->parameters().allocate(false);
  files.model->parameters().initialize(5);
  return VisionTracer(std::move(files));
}

struct MadeImage {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;
  explicit MadeImage(const ImageShape& made, int step = 37) : shape(made) {
    for (std::int64_t i = 0; i < shape.bytes(); ++i) pixels.push_back(static_cast<std::uint8_t>(i * step));
  }
  TracedImage traced(std::int64_t number = 0) const { return {number, "it.png", shape, pixels}; }
};

}  // namespace

TEST_CASE("patches are named by row and column, after the class token where there is one") {
  for (const ImagePooling pooling : {ImagePooling::class_token, ImagePooling::flatten}) {
    VisionTracer tracer = small_vision_tracer(seen_settings(pooling));
    const PatchTokens tokens = patch_tokens(tracer.settings());
    CHECK(tokens.rows == 2);
    CHECK(tokens.columns == 3);
    const VisionTrace trace = tracer.trace(MadeImage({5, 7, 1}).traced(4), {});
    REQUIRE(trace.records.size() == 6);
    std::vector<std::string> names = {"0,0", "0,1", "0,2", "1,0", "1,1", "1,2"};
    if (pooling == ImagePooling::class_token) names.insert(names.begin(), "[CLS]");
    CHECK(tokens.count() == names.size());
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
      const AttentionRecord& record = trace.records[i];
      CHECK(record.example == 4);
      CHECK(record.kind == AttentionKind::encoder);
      CHECK(record.layer == static_cast<std::int64_t>(i / 2));
      CHECK(record.head == static_cast<std::int64_t>(i % 2));
      CHECK(record.query_tokens == names);
      CHECK(record.key_tokens == names);
      REQUIRE(record.weights.size() == names.size() * names.size());
      for (std::size_t q = 0; q < names.size(); ++q) {
        double sum = 0;
        for (std::size_t k = 0; k < names.size(); ++k)
          sum += static_cast<double>(record.weights[q * names.size() + k]);
        CHECK(std::abs(sum - 1) < 1e-5);
      }
    }
    CHECK(trace.probability >= 1 / 3.0F);
    CHECK(trace.label >= 0);
    CHECK(trace.label < 3);
  }
}

TEST_CASE("weights are softmax(QK/sqrt(K)) of the layer's queries and keys") {
  const VisionSettings settings = seen_settings(ImagePooling::class_token);
  VisionTracer tracer = small_vision_tracer(settings);
  const MadeImage image({5, 7, 1});
  const VisionTrace trace = tracer.trace(image.traced(), {});
  VisionModel model(settings);
  model.parameters().allocate(false);
  model.parameters().initialize(5);
  std::vector<Real> values;  // symmetric normalization
  for (const std::uint8_t pixel : image.pixels) values.push_back(Real(pixel) / Real(127.5) - Real(1));
  ImageBatch batch;
  batch.clear();
  batch.add(values, settings.grid());
  batch.finish(settings.grid(), true);
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  std::vector<AttentionTrace> traces;
  model.features({tape}, batch, &traces);
  REQUIRE(traces.size() == 3);
  for (const AttentionRecord& record : trace.records) {
    const AttentionOutput& attention = traces[record.layer].attention;
    const ConstMatrix queries = attention.queries.value(), keys = attention.keys.value();
    for (Index q = 0; q < 7; ++q) {
      std::vector<double> row;
      double sum = 0;
      for (Index k = 0; k < 7; ++k) {
        double score = 0;
        for (Index i = record.head * 4; i < record.head * 4 + 4; ++i)
          score += static_cast<double>(queries.row(q)[i]) * static_cast<double>(keys.row(k)[i]);
        row.push_back(std::exp(score / 2));
        sum += row.back();
      }
      for (std::size_t k = 0; k < 7; ++k)
        CHECK(std::abs(static_cast<double>(record.weights[static_cast<std::size_t>(q) * 7 + k]) -
                       row[k] / sum) < 1e-5);
    }
  }
}

TEST_CASE("a choice of layer and head gives the same weights as all of them") {
  VisionTracer tracer = small_vision_tracer(seen_settings(ImagePooling::flatten));
  const MadeImage image({5, 7, 1});
  const VisionTrace all = tracer.trace(image.traced(), {});
  const VisionTrace one = tracer.trace(image.traced(), {.layer = 1, .head = 0});
  REQUIRE(one.records.size() == 1);
  CHECK(one.records[0].weights == all.records[2].weights);
  CHECK(one.label == all.label);
  CHECK(error_text([&] { tracer.check({.layer = 3}); }) ==
        "--layer 3: the model has 3 layers (they count from 0)");
  CHECK(error_text([&] { tracer.check({.head = 2}); }) ==
        "--head 2: the model has 2 heads (they count from 0)");
  CHECK(error_text([&] { tracer.check({.kind = AttentionKind::cross}); }) ==
        "--kind cross: a model of images has encoder attention only");
}

TEST_CASE("images of other sizes are resized where the model does it, and refused where not") {
  VisionSettings settings = seen_settings(ImagePooling::class_token);
  const MadeImage large({10, 14, 1}), fitting({5, 7, 1});
  VisionTracer strict = small_vision_tracer(settings);
  CHECK(error_text([&] { strict.trace(large.traced(), {}); }) ==
        "it.png: images of 10x14x1 cannot become those of 5x7x1 that the model reads (set model.resizing to "
        "bilinear before training, or resize the images)");
  CHECK(strict.trace(fitting.traced(), {}).records.size() == 6);
  settings.images.resizing = Resizing::bilinear;
  VisionTracer tracer = small_vision_tracer(settings);
  const VisionTrace first = tracer.trace(large.traced(), {});
  CHECK(tracer.trace(fitting.traced(), {}).records[0].weights != first.records[0].weights);
  CHECK(tracer.trace(large.traced(), {}).records[0].weights == first.records[0].weights);
}
