#include "models/encoder_decoder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "checkpoint/safetensors.hpp"
#include "error_text.hpp"
#include "tasks/model_directory.hpp"
#include "models/settings.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

namespace {

ModelSettings small() {
  ModelSettings settings;
  settings.width = 8;
  settings.heads = 2;
  settings.feed_forward_width = 12;
  settings.length = 6;
  return settings;
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("row C of the experiments has 19,960,216 parameters in five rows") {
  ModelSettings settings;
  settings.head_width = 256;
  settings.output_dropout = 0.5;
  EncoderDecoder model(settings, 15000, 15000);
  model.parameters().allocate(false);
  CHECK(model.parameters().size() == 19960216);
  std::map<std::string, Index> rows;
  Index sum = 0;
  for (const LayerSummary& row : model.summary()) {
    rows[row.name] = row.parameters;
    sum += row.parameters;
  }
  CHECK(rows == std::map<std::string, Index>{{"source_embedding", 3845120},
                                             {"target_embedding", 3845120},
                                             {"encoder.0", 3155456},
                                             {"decoder.0", 5259520},
                                             {"head", 3855000}});
  CHECK(sum == 19960216);
}

TEST_CASE("the rows of the table add up to all parameters, for every arrangement") {
  for (const char* norm : {"post", "pre"}) {
    for (const char* positions : {"none", "learned", "sinusoidal"}) {
      for (const std::int64_t layers : {1, 2, 11}) {
        ModelSettings settings = small();
        settings.norm = norm;
        settings.positions = positions;
        settings.encoder_layers = layers;
        settings.decoder_layers = 12 - layers;
        EncoderDecoder model(settings, 19, 23);
        model.parameters().allocate(false);
        Index sum = 0;
        for (const LayerSummary& row : model.summary()) sum += row.parameters;
        CHECK(sum == model.parameters().size());
      }
    }
  }
}

TEST_CASE("a width that heads do not divide is refused") {
  ModelSettings settings = small();
  settings.heads = 3;
  CHECK(error_text([&] { EncoderDecoder(settings, 5, 5); }) ==
        "model: width 8 is not a multiple of heads 3 (choose head_width)");
  settings.head_width = 8;
  CHECK(error_text([&] { EncoderDecoder(settings, 5, 5); }) == "(no error)");
}

TEST_CASE("settings of a recipe reach the layers") {
  ModelSettings settings = small();
  settings.norm = "pre";
  settings.activation = "gelu_tanh";
  settings.positions = "sinusoidal";
  settings.scale_embedding = true;
  settings.dropout = 0.25;
  settings.attention_dropout = 0.5;
  const BlockSettings block = block_settings(settings);
  CHECK(block.norm_place == NormPlace::pre);
  CHECK(block.activation == ops::Activation::gelu_tanh);
  CHECK(block.dropout == 0.25);
  CHECK(block.attention.dropout == 0.5);
  CHECK(block.attention.head_width == 4);
  const EmbeddingSettings embedding = embedding_settings(settings, 77);
  CHECK(embedding.positions == Positions::sinusoidal);
  CHECK(embedding.is_scaled);
  CHECK(embedding.vocabulary_size == 77);
  CHECK(embedding.length == 6);
}

TEST_CASE("the loss is the one of the logits, and dropout acts on recording tapes only") {
  ModelSettings settings = small();
  settings.dropout = settings.attention_dropout = settings.output_dropout = 0.3;
  EncoderDecoder model(settings, 19, 23);
  model.parameters().allocate(true);
  model.parameters().initialize(3);
  PairBatch batch;
  batch.clear();
  batch.add(std::vector<std::int32_t>{4, 5, 6}, std::vector<std::int32_t>{2, 7, 8, 3});
  batch.add(std::vector<std::int32_t>{18}, std::vector<std::int32_t>{2, 22, 3});
  batch.finish();
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const StepContext context{tape, 1, 1};
  const Variable logits =
      model.logits(context, model.decode(context, batch.target, model.encode(context, batch.source)));
  double expected = 0;
  Index correct = 0;
  for (Index t = 0; t < logits.rows(); ++t) {
    const Real* const row = logits.value().row(t);
    double sum = 0;
    for (Index v = 0; v < 23; ++v) sum += std::exp(static_cast<double>(row[v]));
    const std::int32_t label = batch.labels[static_cast<std::size_t>(t)];
    expected += std::log(sum) - static_cast<double>(row[label]);
    correct += std::max_element(row, row + 23) - row == label;
  }
  const kernels::CrossEntropyTotals totals = model.loss(context, batch, 0, 1);
  CHECK(totals.loss == doctest::Approx(expected).epsilon(1e-6));
  CHECK(totals.correct == correct);
  CHECK(totals.tokens == 5);
  const auto recorded = [&](std::uint32_t step) {
    model.parameters().begin_step();
    Tape recording(arena, Tape::Mode::record);
    return model.loss({recording, 1, step}, batch, 0, 1).loss;
  };
  CHECK(recorded(1) == recorded(1));
  CHECK(recorded(1) != recorded(2));
  CHECK(recorded(1) != totals.loss);
}

TEST_CASE("a file of parameters has all tensors, no others, and their shapes") {
  Parameters parameters;
  parameters.declare("a", {2, 2}, 2, 2, Initializer::zeros);
  parameters.declare("b", {3}, 1, 3, Initializer::zeros);
  parameters.allocate(false);
  const ScratchDirectory scratch;
  const std::filesystem::path file = scratch / "model.safetensors";
  const float numbers[] = {1, 2, 3, 4, 5, 6, 7};
  const TensorView a = float_tensor("a", {2, 2}, numbers), b = float_tensor("b", {3}, numbers + 4),
                   c = float_tensor("c", {1}, numbers);
  const auto read = [&](std::vector<TensorView> tensors) {
    write(file, to_safetensors(std::move(tensors)));
    return error_text([&] { read_parameters(file, parameters); });
  };
  CHECK(read({a, b}) == "(no error)");
  CHECK(std::vector<Real>(parameters.values().begin(), parameters.values().end()) ==
        std::vector<Real>{1, 2, 3, 4, 5, 6, 7});
  for (const auto& [tensors, name] : {std::pair{std::vector{a}, "\"b\""},
                                      {std::vector{a, b, c}, "\"c\""},
                                      {std::vector{b, float_tensor("a", {4, 1}, numbers)}, "\"a\""}}) {
    const std::string text = read(tensors);
    INFO(text);
    CHECK(text.starts_with(file.string()));
    CHECK(text.find(name) != std::string::npos);
  }
}

TEST_CASE("parameters for inference are the file's own bytes, where these are floats in the right order") {
  const ScratchDirectory scratch;
  const std::filesystem::path file = scratch / "model.safetensors";
  const float numbers[] = {1, 2, 3, 4, 5, 6, 7};
  const double wide[] = {5, 6, 7};
  TensorView b_wide;
  b_wide.name = "b";
  b_wide.dtype = Dtype::f64;
  b_wide.shape = {3};
  b_wide.bytes = {reinterpret_cast<const char*>(wide), sizeof wide};
  const std::vector<TensorView> flat{float_tensor("a", {2, 2}, numbers), float_tensor("b", {3}, numbers + 4)};
  for (const bool is_flat : {true, false}) {
    write(file, to_safetensors(is_flat ? flat : std::vector{flat[0], b_wide}));
    Parameters parameters;
    parameters.declare("b", {3}, 1, 3, Initializer::zeros);
    parameters.declare("a", {2, 2}, 2, 2, Initializer::zeros);
    map_parameters(file, parameters);
    std::filesystem::remove(file);  // a mapping lives on
    const std::span<Real> values = parameters.values();
    CHECK(std::vector<Real>(values.begin(), values.end()) == std::vector<Real>{1, 2, 3, 4, 5, 6, 7});
    CHECK(parameters.find("a")->value.row(1)[0] == 3);
    CHECK(parameters.find("b")->value.row(0)[2] == 7);
    values[6] = 8;  // stays here
    CHECK(parameters.find("b")->value.row(0)[2] == 8);
  }
  write(file, to_safetensors(flat));
  const std::string before = read_file(file);
  Parameters parameters;
  parameters.declare("a", {2, 2}, 2, 2, Initializer::zeros);
  parameters.declare("b", {3}, 1, 3, Initializer::zeros);
  map_parameters(file, parameters);
  for (Real& value : parameters.values()) value = 0;
  CHECK(read_file(file) == before);
}
