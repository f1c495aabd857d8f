// Numbers out of a tensor's bytes.
#include "checkpoint/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "support/error.hpp"

namespace headwater {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian and copied as they are");

namespace {

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// IEEE 754 binary16: sign, 5 bits of exponent (bias 15), 10 of fraction. Every value is a float.
float from_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = bits >> 10 & 31u;
  const std::uint32_t fraction = bits & 1023u;
  if (exponent == 0) {  // zero and subnormal: fraction * 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t widened = exponent == 31 ? 255u : exponent + (127u - 15u);
  return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

// The upper half of a float.
float from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

template <class T>
void read_into(const TensorView& tensor, std::span<T> out) {
  if (static_cast<std::int64_t>(out.size()) != tensor.elements()) {
    throw Error("tensor " + quote(tensor.name) + ": has " + std::to_string(tensor.elements()) +
                " numbers, expected " + std::to_string(out.size()));
  }
  const char* from = tensor.bytes.data();
  const auto each = [&]<class Stored>(Stored, auto convert) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<T>(convert(load<Stored>(from + i * sizeof(Stored))));
  };
  const auto same = [](auto value) { return value; };
  switch (tensor.dtype) {
    case Dtype::f64:
      return each(double{}, same);
    case Dtype::i64:
      return each(std::int64_t{}, same);
    case Dtype::f32:
      return each(float{}, same);
    case Dtype::i32:
      return each(std::int32_t{}, same);
    case Dtype::f16:
      return each(std::uint16_t{}, from_half);
    case Dtype::bf16:
      return each(std::uint16_t{}, from_bfloat);
    case Dtype::u8:
      return each(std::uint8_t{}, same);
    case Dtype::boolean:
      return each(std::uint8_t{}, [](std::uint8_t value) { return value != 0 ? 1 : 0; });
    case Dtype::u16:
      return each(std::uint16_t{}, same);
    case Dtype::u32:
      return each(std::uint32_t{}, same);
    case Dtype::i8:
      return each(std::int8_t{}, same);
  }
}

}  // namespace

void read_numbers(const TensorView& tensor, std::span<float> out) {
  if (tensor.dtype == Dtype::f32 && out.size_bytes() == tensor.bytes.size()) {
    if (!out.empty()) std::memcpy(out.data(), tensor.bytes.data(), out.size_bytes());
    return;
  }
  read_into(tensor, out);
}

void read_numbers(const TensorView& tensor, std::span<double> out) { read_into(tensor, out); }

std::vector<float> read_floats(const TensorView& tensor) {
  std::vector<float> values(tensor.elements());
  read_numbers(tensor, std::span<float>(values));
  return values;
}

std::vector<std::int64_t> read_integers(const TensorView& tensor) {
  std::vector<std::int64_t> values(tensor.elements());
  const char* from = tensor.bytes.data();
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (tensor.dtype) {
      case Dtype::i64:
        values[i] = load<std::int64_t>(from + i * 8);
        break;
      case Dtype::i32:
        values[i] = load<std::int32_t>(from + i * 4);
        break;
      case Dtype::u8:
        values[i] = load<std::uint8_t>(from + i);
        break;
      case Dtype::boolean:
        values[i] = load<std::uint8_t>(from + i) != 0 ? 1 : 0;
        break;
      case Dtype::u16:
        values[i] = load<std::uint16_t>(from + i * 2);
        break;
      case Dtype::u32:
        values[i] = load<std::uint32_t>(from + i * 4);
        break;
      case Dtype::i8:
        values[i] = std::int64_t{load<std::int8_t>(from + i)};
        break;
      default:
        throw Error("tensor " + quote(tensor.name) + ": is " + std::string(dtype_name(tensor.dtype)) +
                    ", expected whole numbers");
    }
  }
  return values;
}

namespace {

struct Row {
  std::string_view name;
  std::size_t bytes;
};

// In the order of the enumeration.
constexpr Row kRows[] = {{"F64", 8}, {"I64", 8},  {"F32", 4}, {"I32", 4}, {"F16", 2}, {"BF16", 2},
                         {"U8", 1},  {"BOOL", 1}, {"U16", 2}, {"U32", 4}, {"I8", 1}};

constexpr std::string_view kUnsupported[] = {"F8_E5M2",     "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ",
                                             "F8_E5M2FNUZ", "I16",     "C64",     "U64",
                                             "F4",          "F6_E2M3", "F6_E3M2"};

}  // namespace

std::string_view dtype_name(Dtype dtype) { return kRows[static_cast<std::size_t>(dtype)].name; }

std::size_t dtype_bytes(Dtype dtype) { return kRows[static_cast<std::size_t>(dtype)].bytes; }

std::optional<Dtype> find_dtype(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.name == name; });
  if (row == std::end(kRows)) return std::nullopt;
  return static_cast<Dtype>(row - std::begin(kRows));
}

bool is_format_dtype(std::string_view name) {
  return find_dtype(name).has_value() ||
         std::find(std::begin(kUnsupported), std::end(kUnsupported), name) != std::end(kUnsupported);
}

}  // namespace headwater
