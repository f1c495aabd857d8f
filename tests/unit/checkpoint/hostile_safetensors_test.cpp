// Files that break one rule each, and files broken at every place.
#include <doctest/doctest.h>

#include "checkpoint/safetensors.hpp"
#include "error_text.hpp"
#include "safetensors_bytes.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

struct Hostile {
  std::string bytes;
  std::string_view message;  // the beginning
};

// A header with one tensor "a" whose entry is `entry`.
std::string entry(std::string_view text) { return "{\"a\":" + std::string(text) + "}"; }

std::string sized(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return entry("{\"dtype\":\"" + std::string(dtype) + "\",\"shape\":[" + std::string(shape) +
               "],\"data_offsets\":[" + std::string(offsets) + "]}");
}

std::string two(std::string_view first, std::string_view second) {
  const auto one = [](std::string_view name, std::string_view offsets, int length) {
    return "\"" + std::string(name) + "\":{\"dtype\":\"U8\",\"shape\":[" + std::to_string(length) +
           "],\"data_offsets\":[" + std::string(offsets) + "]}";
  };
  return "{" + one("a", first, 4) + "," + one("b", second, 4) + "}";
}

std::vector<Hostile> hostile_files() {
  const std::string_view d4("\0\0\0\0", 4), d8("\0\0\0\0\0\0\0\0", 8);
  const std::string good = sized("F32", "1", "0,4");
  return {
      // the frame
      {"", "f: byte 0: the file has 0 bytes"},
      {"1234567", "f: byte 0: the file has 7 bytes"},
      {framed("", "", 0), "f: byte 0: the header has 0 bytes"},
      {framed("", d4, 0), "f: byte 0: the header has 0 bytes"},
      {framed(good, d4, 100'000'001), "f: byte 0: the header has 100000001 bytes, more than 100000000"},
      {framed(good, d4, ~std::uint64_t{0}),
       "f: byte 0: the header has 18446744073709551615 bytes, more than"},
      {framed(good, d4, ~std::uint64_t{7}),
       "f: byte 0: the header has 18446744073709551608 bytes, more than"},
      {framed(good, "", good.size() + 1),
       "f: byte 0: the header has 55 bytes, the file 62; the file is truncated"},
      {framed(good, d4, 100'000'000),
       "f: byte 0: the header has 100000000 bytes, the file 66; the file is truncated"},
      // the header as text
      {framed(" " + good, d4), "f: byte 8: the header begins with \" \" instead of \"{\""},
      {framed("[]", ""), "f: byte 8: the header begins with \"[\" instead of \"{\""},
      {framed("\xEF\xBB\xBF" + good, d4), "f: byte 8: the header begins with \"\\xef\" instead of \"{\""},
      {framed(good, d4, good.size() - 1), "f: byte 61: header: no valid JSON: unexpected end of input"},
      {framed(good + "\n", d4), "f: byte 62: header: only spaces may follow the JSON, found \"\\x0a\""},
      {framed(good + " \t ", d4), "f: byte 63: header: only spaces may follow the JSON, found \"\\x09\""},
      {framed(good + "{}", d4), "f: byte 62: header: no valid JSON: unexpected '{'"},
      {framed(good + std::string(1, '\0'), d4), "f: byte 62: header: a NUL byte"},
      {framed("{\"\xFF\":1}", ""), "f: byte 10: header: invalid UTF-8"},
      {framed("{\"a\\ud800\":1}", ""), "f: byte 17: header: no valid JSON: invalid string: surrogate"},
      {framed("{\"a\":" + std::string(100, '['), ""),
       "f: byte 13: tensor \"a\": is an array instead of an object"},
      {framed("{a:1}", ""), "f: byte 9: header: no valid JSON: invalid literal"},
      // duplicates
      {framed(two("0,4", "4,8").replace(two("0,4", "4,8").rfind("\"b\""), 3, "\"a\""), d8),
       "f: byte 61: tensor \"a\": the name occurs twice"},
      {framed(entry("{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}"), d4),
       "f: byte 28: tensor \"a\": member \"dtype\" occurs twice"},
      {framed(entry("{\"dtype\":\"F32\",\"shape\":[1],\"shape\":[1],\"data_offsets\":[0,4]}"), d4),
       "f: byte 40: tensor \"a\": member \"shape\" occurs twice"},
      {framed("{\"__metadata__\":{},\"__metadata__\":{}}", ""), "f: byte 27: \"__metadata__\" occurs twice"},
      {framed("{\"__metadata__\":{\"x\":\"1\",\"x\":\"2\"}}", ""),
       "f: byte 33: \"__metadata__\": member \"x\" occurs twice"},
      // metadata
      {framed("{\"__metadata__\":1}", ""), "f: byte 24: \"__metadata__\" is a number instead of an object"},
      {framed("{\"__metadata__\":null}", ""), "f: byte 24: \"__metadata__\" is null instead of an object"},
      {framed("{\"__metadata__\":[]}", ""), "f: byte 24: \"__metadata__\" is an array instead of an object"},
      {framed("{\"__metadata__\":{\"x\":1}}", ""),
       "f: byte 29: \"__metadata__\": \"x\" is a number instead of a string"},
      {framed("{\"__metadata__\":{\"x\":{}}}", ""),
       "f: byte 29: \"__metadata__\": \"x\" is an object instead of a string"},
      {framed("{\"__metadata__\":{\"x\":[\"y\"]}}", ""),
       "f: byte 29: \"__metadata__\": \"x\" is an array instead of a string"},
      // the members of an entry
      {framed(entry("1"), ""), "f: byte 13: tensor \"a\": is a number instead of an object"},
      {framed(entry("\"x\""), ""), "f: byte 13: tensor \"a\": is a string instead of an object"},
      {framed(entry("null"), ""), "f: byte 13: tensor \"a\": is null instead of an object"},
      {framed(entry("{}"), ""), "f: byte 14: tensor \"a\": dtype is missing"},
      {framed(entry("{\"dtype\":\"U8\",\"data_offsets\":[0,0]}"), ""),
       "f: byte 47: tensor \"a\": shape is missing"},
      {framed(entry("{\"dtype\":\"U8\",\"shape\":[0]}"), ""),
       "f: byte 38: tensor \"a\": data_offsets is missing"},
      {framed(entry("{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0],\"x\":1}"), ""),
       "f: byte 60: tensor \"a\": unknown member \"x\""},
      {framed(entry("{\"dtype\":5,\"shape\":[1],\"data_offsets\":[0,4]}"), d4),
       "f: byte 22: tensor \"a\": dtype is a number instead of a string"},
      {framed(entry("{\"dtype\":[\"F32\"],\"shape\":[1],\"data_offsets\":[0,4]}"), d4),
       "f: byte 22: tensor \"a\": dtype is an array instead of a string"},
      {framed(entry("{\"dtype\":\"F32\",\"shape\":1,\"data_offsets\":[0,4]}"), d4),
       "f: byte 36: tensor \"a\": shape is a number instead of an array"},
      {framed(entry("{\"dtype\":\"F32\",\"shape\":\"1\",\"data_offsets\":[0,4]}"), d4),
       "f: byte 36: tensor \"a\": shape is a string instead of an array"},
      {framed(entry("{\"dtype\":\"F32\",\"shape\":{},\"data_offsets\":[0,4]}"), d4),
       "f: byte 36: tensor \"a\": shape is an object instead of an array"},
      {framed(entry("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":4}"), d4),
       "f: byte 55: tensor \"a\": data_offsets is a number instead of an array"},
      // dtype
      {framed(sized("F33", "1", "0,4"), d4), "f: byte 22: tensor \"a\": unknown dtype \"F33\""},
      {framed(sized("f32", "1", "0,4"), d4), "f: byte 22: tensor \"a\": unknown dtype \"f32\""},
      {framed(sized("", "1", "0,4"), d4), "f: byte 22: tensor \"a\": unknown dtype \"\""},
      {framed(sized("F8_E4M3", "4", "0,4"), d4),
       "f: byte 22: tensor \"a\": dtype \"F8_E4M3\" is not supported"},
      {framed(sized("U64", "1", "0,8"), d8), "f: byte 22: tensor \"a\": dtype \"U64\" is not supported"},
      {framed(sized("F4", "3", "0,1"), "x"), "f: byte 22: tensor \"a\": dtype \"F4\" is not supported"},
      // numbers
      {framed(sized("F32", "-1", "0,4"), d4),
       "f: byte 37: tensor \"a\": shape holds a negative number where"},
      {framed(sized("F32", "-0", "0,0"), ""),
       "f: byte 37: tensor \"a\": shape holds a number that is no whole number of 64 bits where"},
      {framed(sized("F32", "1.0", "0,4"), d4),
       "f: byte 37: tensor \"a\": shape holds a number that is no whole"},
      {framed(sized("F32", "1e0", "0,4"), d4),
       "f: byte 37: tensor \"a\": shape holds a number that is no whole"},
      {framed(sized("F32", "\"1\"", "0,4"), d4), "f: byte 37: tensor \"a\": shape holds a string where"},
      {framed(sized("F32", "true", "0,4"), d4), "f: byte 37: tensor \"a\": shape holds true or false where"},
      {framed(sized("F32", "null", "0,4"), d4), "f: byte 37: tensor \"a\": shape holds null where"},
      {framed(sized("F32", "[1]", "0,4"), d4), "f: byte 37: tensor \"a\": shape holds an array where"},
      {framed(sized("F32", "281474976710656", "0,4"), d4),
       "f: byte 37: tensor \"a\": 281474976710656 in shape is larger than 281474976710655"},
      {framed(sized("F32", "18446744073709551616", "0,4"), d4),
       "f: byte 37: tensor \"a\": shape holds a number that is no whole"},
      {framed(sized("F32", "1", "0,-4"), d4),
       "f: byte 58: tensor \"a\": data_offsets holds a negative number where"},
      {framed(sized("F32", "1", "0.5,4"), d4),
       "f: byte 56: tensor \"a\": data_offsets holds a number that is no whole"},
      {framed(sized("F32", "1", "0,18446744073709551615"), d4),
       "f: byte 58: tensor \"a\": 18446744073709551615 in data_offsets is larger"},
      {framed(sized("F32", "1", "0"), d4),
       "f: byte 57: tensor \"a\": data_offsets has 1 numbers instead of 2"},
      {framed(sized("F32", "1", ""), d4),
       "f: byte 56: tensor \"a\": data_offsets has 0 numbers instead of 2"},
      {framed(sized("F32", "1", "0,4,4"), d4),
       "f: byte 60: tensor \"a\": data_offsets has more than 2 numbers"},
      {framed(sized("F32", "1,1,1,1,1,1,1,1,1", "0,4"), d4),
       "f: byte 53: tensor \"a\": shape has more than 8 sizes"},
      // shape against offsets
      {framed(sized("F32", "281474976710655,281474976710655", "0,4"), d4),
       "f: byte 9: tensor \"a\": the shape's product takes more than 64 bits"},
      {framed(sized("F32", "4294967296,4294967296", "0,0"), ""),
       "f: byte 9: tensor \"a\": the shape's product takes more than 64 bits"},
      {framed(sized("F64", "70368744177664,32768", "0,0"), ""),
       "f: byte 9: tensor \"a\": the shape's product takes more than 64 bits"},
      {framed(sized("F32", "2", "0,4"), d4),
       "f: byte 9: tensor \"a\": data_offsets [0, 4] hold 4 bytes, shape and dtype need 8"},
      {framed(sized("F32", "1", "0,5"), std::string(5, 'x')),
       "f: byte 9: tensor \"a\": data_offsets [0, 5] hold 5 bytes, shape and dtype need 4"},
      {framed(sized("F32", "0", "0,4"), d4),
       "f: byte 9: tensor \"a\": data_offsets [0, 4] hold 4 bytes, shape and dtype need 0"},
      {framed(sized("F32", "", "0,0"), ""),
       "f: byte 9: tensor \"a\": data_offsets [0, 0] hold 0 bytes, shape and dtype need 4"},
      {framed(sized("F32", "1", "4,0"), d4),
       "f: byte 9: tensor \"a\": data_offsets [4, 0] end before they begin"},
      // the tensors together
      {framed(good, ""),
       "f: byte 9: tensor \"a\": data_offsets end 4 is past the end of the data (0 bytes of a file of 62); "
       "the file is truncated"},
      {framed(sized("F32", "1", "281474976710651,281474976710655"), d4),
       "f: byte 9: tensor \"a\": data_offsets end 281474976710655 is past the end"},
      {framed(sized("F32", "1", "4,8"), d8),
       "f: byte 9: tensor \"a\": data_offsets [4, 8] leave a hole after 0"},
      {framed(two("0,4", "3,7"), d8),
       "f: byte 61: tensor \"b\": data_offsets [3, 7] overlap the tensor before, which ends at 4"},
      {framed(two("0,4", "0,4"), d4),
       "f: byte 61: tensor \"b\": data_offsets [0, 4] overlap the tensor before, which ends at 4"},
      {framed(two("0,4", "5,9"), std::string(9, 'x')),
       "f: byte 61: tensor \"b\": data_offsets [5, 9] leave a hole after 4"},
      {framed(good, d8), "f: byte 66: 4 bytes follow the last tensor"},
      {framed("{}", "x"), "f: byte 10: 1 bytes follow the last tensor"},
      {framed("{\"__metadata__\":{}}", d8), "f: byte 27: 8 bytes follow the last tensor"},
  };
}

// A file with several types and shapes, so that a changed header has something to be mistaken for.
std::string sample() {
  static const float values[24] = {1, 2, 3, -4, 5.5f, 6, 7, 8, 9, 10, 11, 12};
  static const char bytes[] = "abcdefghijklmnop";
  return to_safetensors({float_tensor("encoder.weight", {3, 4}, values),
                         float_tensor("encoder.bias", {4}, values + 12),
                         float_tensor("scalar", {}, values + 16),
                         float_tensor("none", {0}, nullptr),
                         {"ids", Dtype::i64, {2}, {bytes, 16}},
                         {"mask", Dtype::boolean, {3}, {bytes, 3}}},
                        {{"seed", "7"}});
}

// What a reader makes of the file, as text: equal text means equal tensors.
std::string contents(const Safetensors& file) {
  std::string out;
  for (const TensorView& tensor : file.tensors()) {
    out += tensor.name + " " + std::string(dtype_name(tensor.dtype));
    for (const std::int64_t size : tensor.shape) out += " " + std::to_string(size);
    out += ":" + std::string(tensor.bytes) + "\n";
  }
  return out;
}

// True where the file is refused; where it is read, every byte of it has been touched.
bool is_refused(std::string_view bytes, std::string* read = nullptr) {
  try {
    const Safetensors file(bytes, "f");
    for (const TensorView& tensor : file.tensors())
      CHECK(read_floats(tensor).size() == static_cast<std::size_t>(tensor.elements()));
    const std::string text = contents(file);
    if (read != nullptr) *read = text;
    return false;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    CHECK(message.starts_with("f: byte "));
    CHECK(message.find('\n') == std::string_view::npos);
    return true;
  }
}

}  // namespace

TEST_CASE("safetensors: every rule broken once, each with its own message") {
  const std::vector<Hostile> files = hostile_files();
  CHECK(files.size() >= 80);
  for (const Hostile& file : files) {
    CAPTURE(file.message);
    const std::string message = error_text([&] { Safetensors(file.bytes, "f"); });
    CHECK_MESSAGE(message.starts_with(file.message), message);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("safetensors: the base of the hostile files is right") {
  CHECK_NOTHROW(Safetensors(framed(sized("F32", "1", "0,4"), "1234"), "f"));
  CHECK_NOTHROW(Safetensors(framed(two("0,4", "4,8"), "12345678"), "f"));
  CHECK_NOTHROW(Safetensors(framed(two("4,8", "0,4"), "12345678"), "f"));
  CHECK_NOTHROW(Safetensors(framed("{}", ""), "f"));
  CHECK_NOTHROW(Safetensors(framed("{}      ", ""), "f"));
  CHECK_NOTHROW(Safetensors(
      framed(entry("{\"data_offsets\":[0,0],\"shape\":[281474976710655,0],\"dtype\":\"U8\"}"), ""), "f"));
  CHECK_NOTHROW(Safetensors(
      framed("{\"__metadata__\":{\"x\":\"\"},\"\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}",
             "x"),
      "f"));
}

TEST_CASE("safetensors: a terminal is not driven by names") {
  const std::string message = error_text([] {
    Safetensors(framed("{\"\\u001b[2J\":{\"dtype\":\"x\\u009b\",\"shape\":[],\"data_offsets\":[0,0]}}", ""),
                "f");
  });
  CHECK(message == "f: byte 30: tensor \"\\x1b[2J\": unknown dtype \"x\\xc2\\x9b\"");
}

TEST_CASE("safetensors: cut at every length of the header and at 1,000 lengths of the data") {
  const std::string whole = sample();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    REQUIRE(is_refused(std::string_view(whole).substr(0, size)));
  }
  std::vector<float> values(50000, 0.5f);
  const std::string large = to_safetensors({float_tensor("w", {500, 100}, values.data())});
  const RandomStream stream{.seed = 3};
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::size_t size = random_below(stream, i, large.size());
    CAPTURE(size);
    REQUIRE(is_refused(std::string_view(large).substr(0, size)));
  }
}

TEST_CASE("safetensors: each byte of the header changed ten ways is refused or changes nothing else") {
  const std::string whole = sample();
  std::string original;
  REQUIRE_FALSE(is_refused(whole, &original));
  const std::size_t header_end = whole.size() - 16 - 17 * 4 - 3;
  int mutants = 0, refused = 0, renamed = 0;
  for (std::size_t at = 0; at < header_end; ++at) {
    for (int way = 0; way < 10; ++way) {
      std::string mutant = whole;
      mutant[at] = way == 0 ? '\0' : way == 1 ? '\xFF' : static_cast<char>(mutant[at] ^ 1 << (way - 2));
      if (mutant == whole) continue;
      ++mutants;
      std::string read;
      if (is_refused(mutant, &read)) {
        ++refused;
      } else if (read != original) {
        // What the format cannot tell: another name, or a type or shape of equal size (F32/I32, I64/F64, 3x4
        // of 12 ...). The bytes of the tensors are the same and in the same order; the manifest finds the
        // rest.
        ++renamed;
        const auto bytes_of = [](std::string_view file) {
          std::string out;
          const Safetensors tensors(file, "f");
          for (const TensorView& tensor : tensors.tensors()) out += tensor.bytes;
          return out;
        };
        REQUIRE(bytes_of(mutant) == bytes_of(whole));
      }
    }
  }
  MESSAGE(mutants, " mutants: ", refused, " refused, ", renamed,
          " with another name or type of the same size");
  CHECK(mutants > 4000);
  CHECK(refused > mutants * 3 / 4);
}

TEST_CASE("safetensors: metadata has a bound") {
  const auto with_members = [](int count) {
    std::string header = "{\"__metadata__\":{";
    for (int i = 0; i < count; ++i) header += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"\"";
    return framed(header + "}}", "");
  };
  const std::string most = with_members(65536), more = with_members(65537);
  CHECK(Safetensors(most, "f").metadata().size() == 65536);
  CHECK(
      error_text([&] { Safetensors(more, "f"); }).ends_with("\"__metadata__\" has more than 65536 members"));
}

TEST_CASE("safetensors: a header of nothing but the shortest entries stays cheap") {
  std::string header = "{";
  for (int i = 0; i < 20000; ++i) {
    header += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
              "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}";
  }
  const std::string bytes = framed(header + "}", "");
  CHECK(Safetensors(bytes, "f").tensors().size() == 20000);
}
