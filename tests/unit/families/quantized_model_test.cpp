#include "families/quantized_model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "error_text.hpp"
#include "layers/packed_weights.hpp"
#include "scratch_directory.hpp"
#include "support/bytes.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

constexpr Index kInputs = 6, kOutputs = 35;

// A weight that is computed in bytes, one that is not, a bias, and a table.
void declare(Parameters& parameters) {
  parameters.declare("encoder.map.weight", {kInputs, 5, 7}, kInputs, kOutputs, Initializer::normal);
  parameters.declare("encoder.map.bias", {5, 7}, 1, kOutputs, Initializer::normal);
  parameters.declare("encoder.steps.weight", {3, 4}, 3, 4, Initializer::normal)->panels =
      WeightPanels::floats;
  parameters.declare("head.weight", {4, 3}, 4, 3, Initializer::normal);
  parameters.declare("table.tokens", {8, 6}, 8, 6, Initializer::normal)->is_table = true;
}

Parameters drawn() {
  Parameters parameters;
  declare(parameters);
  parameters.allocate(false);
  parameters.initialize(1);
  return parameters;
}

std::string file_of(const Parameters& parameters, QuantizedWeights which = QuantizedWeights::products) {
  std::string file;
  write_quantized(parameters, "encoder.", which, [&](std::string_view bytes) { file += bytes; });
  return file;
}

std::string packed_bytes(const Parameters& parameters) {
  const PackedWeights packed(parameters, "encoder.map", ComputeType::int8);
  const kernels::PackedWeight& w = packed.of(*parameters.find("encoder.map.weight"));
  const std::span bytes(w.int8.bytes, static_cast<std::size_t>(48 * 4 * kernels::int8_steps(kInputs)));
  return std::string(raw_bytes(bytes)) + std::string(raw_bytes(std::span(w.int8.scales, 48))) +
         std::string(raw_bytes(std::span(w.int8.starts, 48)));
}

std::vector<Real> numbers_of(const Parameters& parameters, std::string_view name) {
  const Matrix& value = parameters.find(name)->value;
  return {value.data, value.data + value.rows * value.cols};
}

}  // namespace

TEST_CASE("weights in bytes: products in int8 read the bytes and scales that floats would give") {
  const Parameters before = drawn();
  const ScratchDirectory scratch;
  const fs::path file = scratch / "model.safetensors";
  write_file(file, file_of(before));
  for (const bool wants_floats : {false, true}) {
    Parameters after;
    declare(after);
    map_quantized(Safetensors(file), {"encoder.", wants_floats}, after);
    CHECK(packed_bytes(after) == packed_bytes(before));
    for (const char* name : {"encoder.map.bias", "encoder.steps.weight", "head.weight", "table.tokens"})
      CHECK(numbers_of(after, name) == numbers_of(before, name));
    const Parameter& weight = *after.find("encoder.map.weight");
    CHECK((weight.value.data != nullptr) == wants_floats);
    CHECK(after.find("head.weight")->int8.bytes == nullptr);
    if (!wants_floats) continue;
    const Matrix &near = weight.value, &exact = before.find("encoder.map.weight")->value;
    for (Index i = 0; i < weight.size(); ++i) {
      const float scale = weight.int8.scales[i % kOutputs];
      CHECK(near.data[i] == scale * static_cast<float>(weight.int8.bytes[i]));
      CHECK(std::abs(near.data[i] - exact.data[i]) <= 0.501f * scale);
    }
  }
}

TEST_CASE("weights in bytes: rows of tables are rounded each by its largest number, if that is wanted") {
  const Parameters before = drawn();
  const Matrix& exact = before.find("table.tokens")->value;
  const std::string file = file_of(before, QuantizedWeights::products_and_tables);
  Parameters after;
  declare(after);
  map_quantized(Safetensors(file, "f"), {"encoder.", false}, after);
  CHECK(packed_bytes(after) == packed_bytes(before));
  const Parameter& table = *after.find("table.tokens");
  REQUIRE(table.int8.bytes != nullptr);
  for (Index row = 0, i = 0; row < exact.rows; ++row) {
    float largest = 0;
    for (Index c = 0; c < exact.cols; ++c) largest = std::max(largest, std::abs(exact.row(row)[c]));
    CHECK(table.int8.scales[row] == doctest::Approx(largest / 127));
    for (Index c = 0; c < exact.cols; ++c, ++i) {
      CHECK(table.int8.bytes[i] == std::lround(exact.row(row)[c] / table.int8.scales[row]));
      CHECK(table.value.data[i] == table.int8.scales[row] * static_cast<float>(table.int8.bytes[i]));
    }
  }
  CHECK(after.find("encoder.map.bias")->int8.bytes == nullptr);
  // Made into a file again, its bytes stay.
  CHECK(file_of(after) == file);
}

TEST_CASE("weights in bytes: the columns of some tokens are those of these tokens alone") {
  Parameters parameters = drawn();
  const Parameter& weight = *parameters.find("encoder.map.weight");
  const PackedWeights packed(parameters, "encoder.map", ComputeType::int8);
  const std::vector<std::int32_t> ids = {0, 3, 15, 16, 33, 34};
  const FlatArray to = make_flat_array(kernels::int8_size(kInputs, std::ssize(ids)));
  const kernels::PackedWeight some = kernels::int8_columns(packed.of(weight), ids, to.get());
  Parameters alone;
  alone.declare("w", {kInputs, std::ssize(ids)}, kInputs, std::ssize(ids), Initializer::zeros);
  alone.allocate(false);
  for (Index k = 0; k < kInputs; ++k) {
    for (std::size_t i = 0; i < ids.size(); ++i)
      alone.all().front()->value.row(k)[i] = weight.value.row(k)[ids[i]];
  }
  const PackedWeights of_alone(alone, "w", ComputeType::int8);
  const kernels::Int8Panels &a = some.int8, &b = of_alone.of(*alone.all().front()).int8;
  for (Index i = 0; i < std::ssize(ids); ++i) {
    CHECK(a.scales[i] == b.scales[i]);
    CHECK(a.starts[i] == b.starts[i]);
  }
  CHECK(std::memcmp(a.bytes, b.bytes, static_cast<std::size_t>(64 * kernels::int8_steps(kInputs))) == 0);
}

TEST_CASE("weights in bytes: a file that does not fit is refused by the tensor's name") {
  const std::string good = file_of(drawn());
  // A copy of the tensors with one changed; its new bytes live in `memory`.
  const auto said = [&](const std::function<void(std::vector<TensorView>&, std::string & memory)>& change) {
    const Safetensors file(good, "good");
    std::vector<TensorView> tensors = file.tensors();
    std::string memory;
    change(tensors, memory);
    const std::string bytes = to_safetensors(tensors);
    Parameters parameters;
    declare(parameters);
    return error_text([&] { map_quantized(Safetensors(bytes, "f"), {"encoder.", false}, parameters); });
  };
  const auto named = [](std::vector<TensorView>& tensors, std::string_view name) -> TensorView& {
    return *std::ranges::find(tensors, name, &TensorView::name);
  };
  const std::string weight = "encoder.map.weight", scale = weight + "_scale";
  CHECK(said([](auto&, auto&) {}) == "(no error)");
  CHECK(said([&](auto& t, auto&) { t.erase(t.begin() + (&named(t, scale) - t.data())); }) ==
        "f: tensor \"encoder.map.weight_scale\" is missing (of 5 tensors)");
  CHECK(said([&](auto& t, auto&) {
          named(t, scale).shape = {5, 7};
        }) == "f: tensor \"encoder.map.weight_scale\" has shape [5, 7], config.json asks for [35]");
  CHECK(said([&](auto& t, auto&) {
          named(t, weight).shape = {kInputs, kOutputs};
        }) == "f: tensor \"encoder.map.weight\" has shape [6, 35], config.json asks for [6, 5, 7]");
  CHECK(said([&](auto& t, auto&) { named(t, weight).dtype = Dtype::u8; }) ==
        "f: tensor \"encoder.map.weight\" is U8, and in int8 it must be I8");
  CHECK(said([&](auto& t, auto&) { named(t, scale).dtype = Dtype::i32; }) ==
        "f: tensor \"encoder.map.weight_scale\" is I32, and in int8 it must be F32");
  CHECK(said([&](auto& t, auto& memory) {
          memory.assign(12, '\1');
          named(t, "head.weight").dtype = Dtype::i8;
          named(t, "head.weight").bytes = memory;
        }) == "f: tensor \"head.weight\" is I8, and in int8 it must be F32");
  CHECK(said([&](auto& t, auto&) {
          t.push_back({"head.weight_scale", Dtype::f32, {0}, {}});
        }) == "f: tensor \"head.weight_scale\" is no part of the model that config.json describes");
  CHECK(said([&](auto& t, auto&) {
          t.push_back({"more", Dtype::f32, {0}, {}});
        }) == "f: tensor \"more\" is no part of the model that config.json describes");
  CHECK(said([&](auto& t, auto& memory) {
          memory = named(t, weight).bytes;
          memory[37] = '\x80';
          named(t, weight).bytes = memory;
        }) == "f: tensor \"encoder.map.weight\" has -128 at 37, expected -127 to 127");
  for (const auto& [number, text] : {std::pair{std::nanf(""), "nan"},
                                     {-1.0f, "-1"},
                                     {HUGE_VALF, "inf"},
                                     {1e-40f, "9.99994610111476e-41"},
                                     {1e38f, "9.999999680285692e+37"}}) {
    CHECK(said([&](auto& t, auto& memory) {
            memory = named(t, scale).bytes;
            std::memcpy(memory.data() + 8, &number, sizeof number);
            named(t, scale).bytes = memory;
          }) == "f: tensor \"encoder.map.weight_scale\" has the scale " + std::string(text) +
                    " at 2, expected 0 or a positive number near 1");
  }
}

TEST_CASE(
    "weights in bytes: what cannot be written in bytes is refused, and I8 without a word in config.json") {
  Parameters parameters = drawn();
  parameters.find("encoder.map.weight")->value.data[0] = 1e38f;
  CHECK(
      error_text([&] { file_of(parameters); }).starts_with("encoder.map.weight: cannot be written in bytes"));
  const std::string good = file_of(drawn());
  Parameters plain;
  declare(plain);
  CHECK(error_text([&] { map_parameters(Safetensors(good, "f"), plain); }) ==
        "f: tensor \"encoder.map.weight\" is I8, and config.json has no \"quantization_config\" (copy the "
        "whole directory again)");
}
