// Facts of papers and of the experiments about single layers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "error_text.hpp"
#include "layers/embedding.hpp"
#include "layers/mixers/mixer.hpp"
#include "layers/packed_weights.hpp"
#include "layers/transformer_stack.hpp"

using namespace headwater;

namespace {

Index parameters_of_block(const BlockSettings& settings) {
  Parameters parameters;
  LayerBuilder builder{parameters};
  const TransformerBlock block(builder, "block", settings);
  parameters.allocate(false);
  return parameters.size();
}

BlockSettings block(Index width, Index heads, Index head_width, Index feed_forward_width) {
  BlockSettings settings;
  settings.attention = {.width = width, .heads = heads, .head_width = head_width};
  settings.feed_forward_width = feed_forward_width;
  return settings;
}

struct Sequence {
  std::vector<Index> offsets;
  ReductionTree plan;
  Packing packing;
  Arena arena;
  explicit Sequence(Index tokens) : offsets{0, tokens} {
    plan.assign(offsets);
    packing = {offsets, &plan};
  }
};

}  // namespace

TEST_CASE("encoder blocks of the experiments have their parameters") {
  CHECK(parameters_of_block(block(32, 2, 32, 32)) == 10656);          // A1
  CHECK(parameters_of_block(block(256, 2, 256, 32)) == 543776);       // A2
  CHECK(parameters_of_block(block(256, 8, 256, 2048)) == 3155456);    // C
  CHECK(parameters_of_block(block(768, 10, 768, 3072)) == 28342272);  // a BERT-base-like setting
}

TEST_CASE("a decoder block of spa-eng has its parameters") {
  Parameters parameters;
  LayerBuilder builder{parameters};
  BlockSettings settings = block(256, 8, 256, 2048);
  settings.has_cross_attention = true;
  const TransformerBlock decoder(builder, "block", settings);
  parameters.allocate(false);
  CHECK(parameters.size() == 5259520);
}

TEST_CASE("attention kernels are initialised by the fans of a convolution") {
  Parameters parameters;
  LayerBuilder builder{parameters};
  const MultiHeadAttention attention(builder, "a", {.width = 256, .heads = 8, .head_width = 256});
  const Parameter* query = parameters.find("a.query.weight");
  CHECK(query->fan_in == 256 * 8);
  CHECK(query->fan_out == 256 * 256);
  CHECK(query->shape == std::vector<Index>{256, 8, 256});
  const Parameter* output = parameters.find("a.output.weight");
  CHECK(output->shape == std::vector<Index>{8, 256, 256});
  CHECK(output->fan_in == 8 * 256);
  CHECK(output->fan_out == 8 * 256);
}

TEST_CASE("attention kernels are initialised by their inputs and outputs where they are plain dense layers") {
  Parameters parameters;
  LayerBuilder builder{parameters};
  const MultiHeadAttention attention(builder, "a",
                                     {.width = 256, .heads = 8, .head_width = 16, .has_dense_fans = true});
  for (const char* name : {"a.query.weight", "a.key.weight", "a.value.weight"}) {
    CHECK(parameters.find(name)->fan_in == 256);
    CHECK(parameters.find(name)->fan_out == 8 * 16);
  }
  CHECK(parameters.find("a.output.weight")->fan_in == 8 * 16);
  CHECK(parameters.find("a.output.weight")->fan_out == 256);
}

TEST_CASE("sinusoidal positions are the paper's") {
  const Index length = 50, width = 6;
  const std::vector<Real> table = sinusoidal_positions(length, width);
  REQUIRE(table.size() == 300);
  for (Index i = 0; i < width; ++i) CHECK(table[i] == (i % 2 == 0 ? Real(0) : Real(1)));
  const double frequencies[] = {1, std::pow(10000.0, -2.0 / 6), std::pow(10000.0, -4.0 / 6)};
  for (Index p = 0; p < length; ++p) {
    for (Index i = 0; i < 3; ++i) {
      const std::size_t at = p * width + 2 * i;
      const double angle = static_cast<double>(p) * frequencies[i];
      CHECK(static_cast<double>(table[at]) == doctest::Approx(std::sin(angle)).epsilon(1e-6));
      CHECK(static_cast<double>(table[at + 1]) == doctest::Approx(std::cos(angle)).epsilon(1e-6));
    }
  }
  CHECK(static_cast<double>(table[6]) == doctest::Approx(0.841471).epsilon(1e-5));  // sin 1
}

TEST_CASE("sinusoidal positions: a shift is a rotation, the same for every place") {
  const Index width = 8;
  const std::vector<Real> table = sinusoidal_positions(40, width);
  const auto dot = [&](Index a, Index b) {
    double sum = 0;
    for (Index c = 0; c < width; ++c) {
      sum += static_cast<double>(table[a * width + c]) * static_cast<double>(table[b * width + c]);
    }
    return sum;
  };
  for (Index p = 0; p + 5 < 40; ++p) {
    CHECK(dot(p, p) == doctest::Approx(4));
    CHECK(dot(p, p + 5) == doctest::Approx(dot(0, 5)).epsilon(1e-5));
  }
}

TEST_CASE("scaled dot-product attention of the worked example") {
  Sequence sequence(4);
  const Real keys[] = {10, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 10};
  const Real values[] = {1,   0, 0, 10,   0, 0,
                         100, 5, 0, 1000, 6, 0};  // a third column of zeros: values are as wide as keys
  const Real queries[] = {0, 10, 0, 0, 0, 10, 10, 10, 0};
  const double weights[3][4] = {{0, 1, 0, 0}, {0, 0, 0.5, 0.5}, {0.5, 0.5, 0, 0}};
  const double outputs[3][2] = {{10, 0}, {550, 5.5}, {5.5, 0}};
  const std::vector<Index> query_offsets{0, 3};
  const kernels::AttentionShape shape{.query_offsets = query_offsets,
                                      .key_offsets = sequence.offsets,
                                      .heads = 1,
                                      .head_width = 3,
                                      .scale = Real(1 / std::sqrt(3.0))};
  const Matrix out = sequence.arena.matrix(3, 3), found = sequence.arena.matrix(3, 4);
  kernels::attention(ConstMatrix(queries, 3, 3), ConstMatrix(keys, 4, 3), ConstMatrix(values, 4, 3), shape,
                     out, {});
  kernels::attention_weights(ConstMatrix(queries, 3, 3), ConstMatrix(keys, 4, 3), shape, 0, 0, found);
  for (Index q = 0; q < 3; ++q) {
    for (Index k = 0; k < 4; ++k)
      CHECK(std::abs(static_cast<double>(found.row(q)[k]) - weights[q][k]) <= 1e-6);
    for (Index c = 0; c < 2; ++c)
      CHECK(static_cast<double>(out.row(q)[c]) == doctest::Approx(outputs[q][c]).epsilon(1e-6));
  }
}

TEST_CASE("post- and pre-norm blocks put their norms where the papers do") {
  const Index width = 6, tokens = 5;
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    Sequence sequence(tokens);
    BlockSettings settings = block(width, 2, 3, 11);
    settings.norm = norm;
    settings.activation = ops::Activation::gelu;
    Parameters parameters;
    LayerBuilder builder{parameters};
    const TransformerBlock encoder(builder, "b", settings);
    // The same sub-layers once more, over parameters of the same values.
    Parameters copies;
    LayerBuilder copy_builder{copies};
    const MultiHeadAttention attention(copy_builder, "b.self_attention", settings.attention);
    const Norm norm_1(copy_builder, "b.self_attention_norm", width, settings);
    const FeedForward feed_forward(copy_builder, "b.feed_forward", settings);
    const Norm norm_2(copy_builder, "b.feed_forward_norm", width, settings);
    parameters.allocate(false);
    copies.allocate(false);
    REQUIRE(copies.size() == parameters.size());
    for (Index i = 0; i < parameters.size(); ++i) {
      parameters.values()[i] = Real(std::sin(static_cast<double>(i) * 1.7));
    }
    std::copy(parameters.values().begin(), parameters.values().end(), copies.values().begin());

    Tape tape(sequence.arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    const Matrix input = sequence.arena.matrix(tokens, width);
    for (Index i = 0; i < tokens * width; ++i) input.data[i] = Real(std::cos(static_cast<double>(i)));
    const Variable x = tape.wrap(input, &sequence.packing, false);
    Variable expected;
    if (!settings.is_pre_norm()) {
      const Variable z = norm_1(context, ops::add(tape, x, attention(context, x, x, Causality::full).output));
      expected = norm_2(context, ops::add(tape, z, feed_forward(context, z)));
    } else {
      const Variable n = norm_1(context, x);
      const Variable z = ops::add(tape, x, attention(context, n, n, Causality::full).output);
      expected = ops::add(tape, z, feed_forward(context, norm_2(context, z)));
    }
    const Variable found = encoder(context, x).hidden;
    double worst = 0, largest = 0;
    for (Index i = 0; i < tokens * width; ++i) {
      worst =
          std::max(worst, std::abs(static_cast<double>(found.value().data[i] - expected.value().data[i])));
      largest = std::max(largest, std::abs(static_cast<double>(expected.value().data[i])));
    }
    CHECK(worst <= 1e-5 * largest);
    CHECK(largest > 0.1);
  }
}

TEST_CASE("sinusoids in halves are the same numbers, the sines first") {
  const std::vector<Real> pairs = sinusoidal_positions(5, 6),
                          halves = sinusoidal_positions(5, 6, Positions::sinusoidal_halves);
  for (std::size_t p = 0; p < 5; ++p) {
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(halves[p * 6 + i] == pairs[p * 6 + 2 * i]);
      CHECK(halves[p * 6 + 3 + i] == pairs[p * 6 + 2 * i + 1]);
    }
  }
}

TEST_CASE("tensor2tensor's sinusoids have wavelengths from 2 pi to 20000 pi, also of two features") {
  for (const Index width : {2, 4, 10}) {
    const std::vector<Real> table = sinusoidal_positions(7, width, Positions::sinusoidal_tensor2tensor);
    const Index half = width / 2;
    for (Index p = 0; p < 7; ++p) {
      for (Index i = 0; i < half; ++i) {
        const double step = std::log(10000.0) / std::max(1.0, static_cast<double>(half - 1)),
                     angle = static_cast<double>(p) * std::exp(-step * static_cast<double>(i));
        CHECK(table[p * width + i] == doctest::Approx(std::sin(angle)).epsilon(1e-6));
        CHECK(table[p * width + half + i] == doctest::Approx(std::cos(angle)).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("an embedding adds its positions and scales its tokens") {
  for (const Positions kind : {Positions::none, Positions::learned, Positions::sinusoidal,
                               Positions::sinusoidal_halves, Positions::sinusoidal_tensor2tensor}) {
    for (const bool is_scaled : {false, true}) {
      Sequence sequence(3);
      Parameters parameters;
      LayerBuilder builder{parameters};
      const Embedding embedding(
          builder, "e",
          {.vocabulary_size = 5, .width = 4, .length = 6, .positions = kind, .is_scaled = is_scaled});
      parameters.allocate(false);
      parameters.initialize(2);
      Tape tape(sequence.arena, Tape::Mode::inference);
      const std::vector<std::int32_t> ids{4, 0, 4}, positions{0, 1, 5};
      const Variable y = embedding({tape}, sequence.packing, ids, positions);
      const Parameter* learned = parameters.find("e.positions");
      CHECK((learned != nullptr) == (kind == Positions::learned));
      const bool is_sinusoidal = kind != Positions::none && kind != Positions::learned;
      const std::vector<Real> sinusoids = sinusoidal_positions(6, 4, kind);
      for (Index t = 0; t < 3; ++t) {
        for (Index c = 0; c < 4; ++c) {
          const Index place = positions[t];
          Real expected = parameters.find("e.tokens")->value.row(ids[t])[c] * (is_scaled ? Real(2) : Real(1));
          if (learned) expected += learned->value.row(place)[c];
          if (is_sinusoidal) expected += sinusoids[place * 4 + c];
          CHECK(y.value().row(t)[c] == doctest::Approx(expected).epsilon(1e-6));
        }
      }
    }
  }
}

TEST_CASE("mixers: those that take steps have a cache, the others have none") {
  for (const MixerKind* const mixer : mixer_kinds()) {
    Parameters parameters;
    LayerBuilder builder{parameters};
    MixerSettings settings{.attention = {.width = 4, .heads = 2, .head_width = 2},
                           .causality = Causality::causal,
                           .mixing = {.mixing = std::string(mixer->name), .mixing_width = 3},
                           .length = 5};
    if (mixer->head_width) settings.attention.head_width = mixer->head_width(settings.attention);
    Arena arena;
    INFO(mixer->name);
    CHECK((mixer->make(builder, "block", settings)->new_cache(arena, 1, 5) != nullptr) == mixer->takes_steps);
  }
}

TEST_CASE("what products with states read is packed in floats, and what no product reads is not packed") {
  Parameters parameters;
  LayerBuilder builder{parameters};
  const MixerSettings settings{
      .attention = {.width = 16}, .mixing = {.mixing = "gru", .mixing_width = 16}, .length = 16};
  for (const char* name : {"gru", "convolution", "mlp"}) mixer_kind(name).make(builder, "block", settings);
  parameters.allocate(false);
  parameters.initialize(1);
  const PackedWeights bytes(parameters, "", ComputeType::int8);
  CHECK(bytes.of(*parameters.find("block.recurrent.forward.input.weight")).int8.bytes != nullptr);
  CHECK(bytes.of(*parameters.find("block.recurrent.forward.recurrent.weight")).panels != nullptr);
  CHECK(bytes.size() ==
        kernels::int8_size(16, 48) + kernels::int8_size(16, 16) + kernels::packed_size(16, 48));
}

TEST_CASE("weights in bytes take a quarter of the memory; one that has none is named") {
  Parameters parameters;
  LayerBuilder builder{parameters};
  const Linear linear(builder, "linear", 512, 64);
  Parameter& table =
      *parameters.declare("table", {640, 512}, 640, 512, Initializer::glorot_uniform, 640, 512);
  table.is_table = true;
  const OutputLayer output(builder, "head", table);
  parameters.allocate(false);
  parameters.initialize(1);
  const PackedWeights floats(parameters, output, ComputeType::float32);
  const PackedWeights bytes(parameters, output, ComputeType::int8);
  CHECK(floats.size() == 512 * (64 + 640));
  CHECK(bytes.size() == (512 / 4 + 2) * (64 + 640));  // and a scale and a sum for each column
  CHECK(floats.output().bounds.bytes != nullptr);
  CHECK(bytes.output().bounds.bytes == nullptr);
  CHECK(bytes.of(linear.weight()).int8.bytes != nullptr);
  linear.weight().value.data[5] = std::nanf("");
  CHECK(error_text([&] { PackedWeights(parameters, output, ComputeType::int8); }) ==
        "linear.weight: cannot be written in bytes: its values are not finite or far from 1, or its inputs "
        "more "
        "than 32,768 (compute in float32)");
}
