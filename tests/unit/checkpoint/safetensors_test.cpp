#include "checkpoint/safetensors.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "error_text.hpp"
#include "safetensors_bytes.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

TEST_CASE("safetensors: the bytes of a small file, one by one") {
  const float b[] = {1, 2}, a[] = {3};
  const std::string bytes =
      to_safetensors({float_tensor("b", {2}, b), float_tensor("a", {}, a)}, {{"note", "x"}});
  const std::string header =
      "{\"__metadata__\":{\"format\":\"pt\",\"note\":\"x\"},"
      "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  std::string expected = framed(padded, std::string("\0\0\x40\x40\0\0\x80\x3F\0\0\0\x40", 12));
  CHECK(bytes == expected);
  CHECK(padded.size() % 8 == 0);
}

TEST_CASE("safetensors: written, mapped and read again") {
  ScratchDirectory scratch;
  std::vector<float> values(60);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1f * static_cast<float>(i);
  values[7] = std::numeric_limits<float>::quiet_NaN();  // legal in the format
  write_file(scratch / "m", to_safetensors({float_tensor("w", {3, 4, 5}, values.data()),
                                            float_tensor("empty", {0, 7}, nullptr),
                                            float_tensor("scalar", {}, values.data() + 2)},
                                           {{"seed", "1"}}));
  const Safetensors file(scratch / "m");
  REQUIRE(file.tensors().size() == 3);
  CHECK(file.metadata() == Metadata{{"format", "pt"}, {"seed", "1"}});
  CHECK(file.tensors()[0].name == "empty");
  CHECK(file.at("empty").elements() == 0);
  CHECK(file.at("empty").shape == std::vector<std::int64_t>{0, 7});
  CHECK(file.at("scalar").shape.empty());
  CHECK(read_floats(file.at("scalar")) == std::vector<float>{values[2]});
  CHECK(file.at("w").bytes == std::string_view(reinterpret_cast<const char*>(values.data()), 240));
  CHECK(std::isnan(read_floats(file.at("w"))[7]));
  CHECK(file.data().size() == 244);
  CHECK(file.find("x") == nullptr);
  CHECK(error_text([&] { file.at("x"); }) ==
        (scratch / "m").string() + ": tensor \"x\" is missing (of 3 tensors)");
}

TEST_CASE("safetensors: a flat buffer in the order of the names is one write") {
  std::vector<float> flat(10, 1.5f);
  const std::vector<std::string> order = safetensors_order({"b", "a.weight", "B", "\xC3\xA9", "a"});
  CHECK(order == std::vector<std::string>{"B", "a", "a.weight", "b", "\xC3\xA9"});
  std::vector<TensorView> tensors;
  for (std::size_t i = 0; i < order.size(); ++i)
    tensors.insert(tensors.begin(), float_tensor(order[i], {2}, flat.data() + 2 * i));
  int pieces = 0;
  write_safetensors(tensors, {}, [&](std::string_view) { ++pieces; });
  CHECK(pieces == 2);  // header, data
  const std::string bytes = to_safetensors(tensors);
  const Safetensors file(bytes, "f");
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(file.tensors()[i].name == order[i]);
}

TEST_CASE("safetensors: wide types stand before narrow ones, names decide among equals") {
  const std::string zeros(8, '\0');
  const auto one = [&](std::string name, Dtype dtype) {
    return TensorView{std::move(name), dtype, {1}, std::string_view(zeros).substr(0, dtype_bytes(dtype))};
  };
  const std::string bytes = to_safetensors(
      {one("a", Dtype::u8), one("b", Dtype::bf16), one("c", Dtype::f32), one("d", Dtype::i64),
       one("e", Dtype::boolean), one("f", Dtype::f16), one("g", Dtype::i32), one("h", Dtype::f64)});
  const Safetensors file(bytes, "f");
  std::string order;
  for (const TensorView& tensor : file.tensors()) order += tensor.name;
  CHECK(order == "dhcgbfae");
}

TEST_CASE("safetensors: every type becomes numbers") {
  const auto view = [](Dtype dtype, std::string_view bytes) {
    return TensorView{"t", dtype, {static_cast<std::int64_t>(bytes.size() / dtype_bytes(dtype))}, bytes};
  };
  using Floats = std::vector<float>;
  CHECK(read_floats(view(Dtype::u8, std::string_view("\0\x07\xFF", 3))) == Floats{0, 7, 255});
  CHECK(read_floats(view(Dtype::boolean, std::string_view("\0\1", 2))) == Floats{0, 1});
  CHECK(read_floats(view(Dtype::i32, "\xFE\xFF\xFF\xFF")) == Floats{-2});
  CHECK(read_floats(view(Dtype::i64, "\xFD\xFF\xFF\xFF\xFF\xFF\xFF\xFF")) == Floats{-3});
  CHECK(read_floats(view(Dtype::f64, std::string_view("\0\0\0\0\0\0\xF8\x3F", 8))) == Floats{1.5f});
  CHECK(read_floats(view(Dtype::bf16, "\xC0\x3F\x80\xFF")) ==
        Floats{1.5f, -std::numeric_limits<float>::infinity()});
  CHECK(read_integers(view(Dtype::i64, "\xFD\xFF\xFF\xFF\xFF\xFF\xFF\x7F")) ==
        std::vector<std::int64_t>{0x7FFFFFFFFFFFFFFD});
  CHECK(read_integers(view(Dtype::i32, "\xFE\xFF\xFF\xFF")) == std::vector<std::int64_t>{-2});
  CHECK(read_integers(view(Dtype::u8, "\xFE")) == std::vector<std::int64_t>{254});
  CHECK(error_text([&] { read_integers(view(Dtype::f16, "\xFE\xFF")); }) ==
        "tensor \"t\": is F16, expected whole numbers");
  std::vector<float> two(2);
  CHECK(error_text([&] { read_numbers(view(Dtype::u8, "abc"), std::span<float>(two)); }) ==
        "tensor \"t\": has 3 numbers, expected 2");
  std::vector<double> exact(1);
  read_numbers(view(Dtype::i64, std::string_view("\1\0\0\0\0\0\x20\0", 8)), std::span<double>(exact));
  CHECK(exact[0] == 0x1p53);
}

TEST_CASE("safetensors: all 65,536 half floats") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const std::uint16_t half = static_cast<std::uint16_t>(bits);
    const TensorView view{"t", Dtype::f16, {}, {reinterpret_cast<const char*>(&half), 2}};
    const float got = read_floats(view)[0];
    const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
    if (exponent == 31 && fraction != 0) {
      REQUIRE(std::isnan(got));
      continue;
    }
    double expected = exponent == 31  ? std::numeric_limits<double>::infinity()
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
    if (bits >> 15 != 0) expected = -expected;
    REQUIRE(static_cast<double>(got) == expected);
    REQUIRE(std::signbit(got) == (bits >> 15 != 0));
  }
}

TEST_CASE("safetensors: unaligned data is read") {
  const std::string header = "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
  for (int spaces = 0; spaces < 8; ++spaces) {
    const std::string bytes =
        framed(header + std::string(spaces, ' '), std::string("\0\0\x80\x3F\0\0\0\x40", 8));
    const Safetensors file(bytes, "f");
    CHECK(read_floats(file.at("a")) == std::vector<float>{1, 2});
  }
}

TEST_CASE("safetensors: the writer refuses what the reader would") {
  const float values[4] = {};
  const auto refusal = [](std::vector<TensorView> tensors, const Metadata& metadata = {}) {
    return error_text([&] { to_safetensors(std::move(tensors), metadata); });
  };
  CHECK(refusal({float_tensor("a", {2}, values), float_tensor("a", {1}, values)}) ==
        "tensor \"a\": the name occurs twice");
  CHECK(refusal({{"a", Dtype::f32, {3}, {reinterpret_cast<const char*>(values), 16}}}) ==
        "tensor \"a\": has 16 bytes, shape and dtype need 12");
  CHECK(refusal({{"a", Dtype::f32, {-1}, {}}}) == "tensor \"a\": no valid shape");
  CHECK(refusal({{"a", Dtype::f32, {std::int64_t{1} << 62, 4}, {}}}) == "tensor \"a\": no valid shape");
  CHECK(refusal({float_tensor("__metadata__", {1}, values)}) ==
        "tensor \"__metadata__\": the name is reserved");
  CHECK(refusal({}, {{"format", "tf"}}) == "metadata \"format\": occurs twice");
  CHECK(refusal({float_tensor("a\xFF", {1}, values)}).ends_with("is not UTF-8 at byte 1"));
  const std::string nothing = to_safetensors({});
  CHECK(Safetensors(nothing, "f").tensors().empty());
}
