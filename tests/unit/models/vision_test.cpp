#include "families/vision/model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <map>

#include "error_text.hpp"

using namespace headwater;

namespace {

// 6 patches of 2x2 pixels.
VisionSettings small() {
  VisionSettings settings;
  settings.transformer.width = 8;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 12;
  settings.transformer.norm = NormPlacement::pre;
  settings.layers = 2;
  settings.image_height = 4;
  settings.image_width = 6;
  settings.patch_size = 2;
  settings.classes = 5;
  return settings;
}

ImageBatch three_images(const VisionSettings& settings) {
  const PatchGrid grid = settings.grid();
  ImageBatch batch;
  batch.clear();
  std::vector<Real> image(grid.height * grid.width * grid.channels);
  for (int i = 0; i < 3; ++i) {
    for (std::size_t p = 0; p < image.size(); ++p)
      image[p] = static_cast<Real>(std::sin(static_cast<double>(p + 1) * (i + 1)));
    batch.add(image, grid);
    batch.labels.push_back(i);
  }
  batch.finish(grid, settings.has_class_token());
  return batch;
}

// The settings of the experiments' rows D1 and D2.
VisionSettings row_d1() {
  VisionSettings settings;
  settings.transformer.width = settings.transformer.feed_forward_width = 128;
  settings.transformer.norm = NormPlacement::pre;
  settings.layers = 8;
  settings.head_widths = {128};
  return settings;
}
// The source's own model of row D1.
VisionSettings row_d1_source() {
  VisionSettings settings = row_d1();
  settings.mixing.mixing = "averaged_attention";
  settings.transformer.head_width = settings.transformer.width;
  settings.class_token_position = settings.final_norm = false;
  settings.transformer.initialization = Initialization::glorot_normal;
  return settings;
}
VisionSettings row_d2() {
  VisionSettings settings;
  settings.transformer.width = settings.transformer.head_width = 64;
  settings.transformer.heads = 4;
  settings.transformer.feed_forward_width = 128;
  settings.transformer.norm = NormPlacement::pre;
  settings.layers = 8;
  settings.image_height = settings.image_width = 72;
  settings.channels = 3;
  settings.patch_size = 6;
  settings.classes = 100;
  settings.pooling = ImagePooling::flatten;
  settings.head_widths = {2048, 1024};
  return settings;
}

}  // namespace

TEST_CASE("rows D1 and D2 of the experiments have their parameters, and the table adds up to them") {
  for (const auto& [settings, parameters] : {std::pair{row_d1(), Index{823'434}},
                                             {row_d1_source(), Index{3'440'394}},
                                             {row_d2(), Index{21'759'012}}}) {
    VisionModel model(settings);
    model.parameters().allocate(false);
    CHECK(model.parameters().size() == parameters);
    Index sum = 0;
    for (const LayerSummary& row : model.summary()) sum += row.parameters;
    CHECK(sum == parameters);
  }
  VisionModel model(row_d1());
  model.parameters().allocate(false);
  std::map<std::string, std::string> shapes;
  for (const LayerSummary& row : model.summary()) shapes[row.name] = row.output_shape;
  CHECK(shapes["embedding"] == "[50, 128]");
  CHECK(shapes["pooling"] == "[128]");
  CHECK(shapes["hidden.0"] == "[128]");
  CHECK(shapes["head"] == "[10]");
}

TEST_CASE("probabilities of images are those of the loss, for both poolings, with and without positions") {
  for (const ImagePooling pooling : {ImagePooling::class_token, ImagePooling::flatten}) {
    for (const Positions positions : {Positions::learned, Positions::none}) {
      VisionSettings settings = small();
      settings.pooling = pooling;
      settings.transformer.positions = positions;
      settings.head_widths = {7};
      VisionModel model(settings);
      model.parameters().allocate(false);
      model.parameters().initialize(3);
      const ImageBatch batch = three_images(settings);
      Arena arena;
      Tape tape(arena, Tape::Mode::inference);
      const Matrix probabilities = model.probabilities({tape}, batch);
      REQUIRE(probabilities.rows == 3);
      double expected = 0;
      for (Index i = 0; i < 3; ++i) {
        double sum = 0;
        for (Index c = 0; c < 5; ++c) sum += static_cast<double>(probabilities.row(i)[c]);
        CHECK(sum == doctest::Approx(1));
        expected -= std::log(static_cast<double>(probabilities.row(i)[i]));
      }
      const kernels::CrossEntropyTotals totals = model.loss({tape}, batch, 0, 1);
      CHECK(totals.loss == doctest::Approx(expected).epsilon(1e-5));
      CHECK(totals.tokens == 3);
    }
  }
}

TEST_CASE("dropout of a vision model acts on recording tapes only") {
  const std::function<void(VisionSettings&)> kinds[] = {
      [](VisionSettings& s) { s.transformer.dropout = 0.3; },
      [](VisionSettings& s) { s.transformer.attention_dropout = 0.3; },
      [](VisionSettings& s) { s.feed_forward_dropout = 0.3; },
      [](VisionSettings& s) { s.head_dropout = 0.3; },
  };
  for (const auto& choose_dropout : kinds) {
    VisionSettings settings = small();
    settings.head_widths = {7};
    choose_dropout(settings);
    VisionModel model(settings);
    model.parameters().allocate(true);
    model.parameters().initialize(3);
    const ImageBatch batch = three_images(settings);
    Arena arena;
    const auto loss = [&](Tape::Mode mode, std::uint32_t step) {
      model.parameters().begin_step();
      Tape tape(arena, mode);
      return model.loss({tape, 1, step}, batch, 0, 1).loss;
    };
    CHECK(loss(Tape::Mode::record, 1) == loss(Tape::Mode::record, 1));
    CHECK(loss(Tape::Mode::record, 1) != loss(Tape::Mode::record, 2));
    CHECK(loss(Tape::Mode::inference, 1) == loss(Tape::Mode::inference, 2));
  }
}

TEST_CASE("each layer of a vision model leaves a trace, the class token first among its queries") {
  VisionModel model(small());
  model.parameters().allocate(false);
  model.parameters().initialize(3);
  const ImageBatch batch = three_images(small());
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  std::vector<AttentionTrace> traces;
  model.features({tape}, batch, &traces);
  REQUIRE(traces.size() == 2);
  for (const AttentionTrace& trace : traces) {
    CHECK(trace.kind == AttentionKind::encoder);
    CHECK(trace.attention.queries.rows() == 3 * 7);
    CHECK(trace.attention.causality == Causality::full);
  }
}

TEST_CASE("settings that no image fits are refused") {
  VisionSettings settings = small();
  for (const std::int64_t size : {0, 5}) {
    settings.patch_size = size;
    CHECK(error_text([&] { VisionModel{settings}; }) ==
          "model: patch_size " + std::to_string(size) + ", images of 4x6 pixels: there is no patch");
  }
  settings = small();
  settings.transformer.positions = Positions::sinusoidal;
  CHECK(error_text([&] { VisionModel{settings}; }) ==
        "model: positions of patches are learned, or there are none (not sinusoidal)");
}

TEST_CASE("without a position of its own the class token is the same whatever the table holds") {
  VisionSettings settings = small();
  settings.class_token_position = false;
  VisionModel model(settings);
  model.parameters().allocate(false);
  model.parameters().initialize(3);
  CHECK(model.parameters().find("embedding.positions")->shape == std::vector<Index>{6, 8});
  const ImageBatch batch = three_images(settings);
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const Matrix x = model.embed({tape}, batch).value();
  const Parameter &token = *model.parameters().find("embedding.class_token"),
                  &table = *model.parameters().find("embedding.positions"),
                  &patch = *model.parameters().find("embedding.patch.weight");
  REQUIRE(x.rows == 21);
  for (Index d = 0; d < 8; ++d) {
    CHECK(x.row(7)[d] == token.value.data[d]);
    // The second image's last patch has the last position.
    double wanted = static_cast<double>(table.value.row(5)[d]);
    for (Index i = 0; i < 4; ++i)
      wanted += static_cast<double>(batch.pixels[11 * 4 + i]) * static_cast<double>(patch.value.row(i)[d]);
    CHECK(static_cast<double>(x.row(13)[d]) == doctest::Approx(wanted).epsilon(1e-5));
  }
}

TEST_CASE("initialization glorot_normal: normal weights and positions, a class token of zeros") {
  VisionSettings settings = row_d1_source();
  settings.layers = 1;
  VisionModel model(settings);
  model.parameters().allocate(false);
  model.parameters().initialize(1);
  // The root mean square of its values as a share of the one wanted.
  const auto share_of = [&](double wanted, const char* name) {
    const Parameter& p = *model.parameters().find(name);
    double squares = 0;
    for (Index i = 0; i < p.size(); ++i)
      squares += static_cast<double>(p.value.data[i]) * static_cast<double>(p.value.data[i]);
    return std::sqrt(squares / static_cast<double>(p.size())) / wanted;
  };
  const double of_a_head = std::sqrt(2.0 / (128 + 128));
  CHECK(std::abs(share_of(of_a_head, "encoder.0.self_attention.query.weight") - 1) < 0.02);
  CHECK(std::abs(share_of(of_a_head, "encoder.0.self_attention.output.weight") - 1) < 0.02);
  // a strided convolution: 4 x 4 x 1 inputs, 4 x 4 x 128 outputs
  CHECK(std::abs(share_of(std::sqrt(2.0 / (16 + 2048)), "embedding.patch.weight") - 1) < 0.06);
  CHECK(std::abs(share_of(std::sqrt(2.0 / (128 + 10)), "head.weight") - 1) < 0.08);
  CHECK(std::abs(share_of(1, "embedding.positions") - 1) < 0.04);
  CHECK(share_of(1, "embedding.class_token") == 0);
}
