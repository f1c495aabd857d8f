#include "data/image_records.hpp"
#include "error_text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

using namespace headwater;

namespace {

// A header with this type and these sizes, before the values.
std::string idx(std::initializer_list<std::uint32_t> sizes, const std::string& values, char type = 0x08) {
  std::string out{'\0', '\0', type, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift & 255);
  }
  return out + values;
}

struct BadFile {
  std::string bytes, says;
};

}  // namespace

TEST_CASE("grey images are read row by row") {
  const std::string bytes = idx({2, 2, 3}, "abcdefghijk\xFF");
  const IdxImages images = read_idx_images(bytes, "f");
  CHECK(images.count == 2);
  CHECK(images.shape == ImageShape{.height = 2, .width = 3, .channels = 1});
  REQUIRE(images.pixels.size() == 12);
  CHECK(images.pixels[0] == 'a');
  CHECK(images.pixels[11] == 255);
}

TEST_CASE("colour images have a fourth dimension") {
  const std::string bytes = idx({1, 2, 1, 3}, "abcdef");
  const IdxImages images = read_idx_images(bytes, "f");
  CHECK(images.count == 1);
  CHECK(images.shape == ImageShape{.height = 2, .width = 1, .channels = 3});
}

TEST_CASE("labels are one byte each") {
  const std::string bytes = idx({3}, std::string("\x07\x00\xFF", 3));
  const auto labels = read_idx_labels(bytes, "f");
  CHECK(std::vector<int>(labels.begin(), labels.end()) == std::vector<int>{7, 0, 255});
}

TEST_CASE("files that are no images are refused with the byte") {
  const std::string good = idx({2, 2, 3}, "abcdefghijkl");
  const std::vector<BadFile> files = {
      {"", "f: byte 0: the file has 0 bytes, an IDX file at least 4 (copy it again)"},
      {good.substr(0, 3), "f: byte 0: the file has 3 bytes, an IDX file at least 4 (copy it again)"},
      {"\x1F\x8B\x08", "f: is compressed (gzip -d it first)"},
      {"PNG!", "f: byte 0: 0x50 instead of 0x00 (is it an IDX file?)"},
      {std::string("\0\x0D\x08\x03", 4), "f: byte 1: 0x0D instead of 0x00 (is it an IDX file?)"},
      {idx({1, 1, 1}, "abcd", 0x0D),
       "f: byte 2: the values have the type 0x0D, only unsigned bytes (0x08) are read"},
      {idx({3}, "abc"), "f: byte 3: 1 dimension, images have 3 or 4 (are these the labels?)"},
      {idx({3, 1}, "abc"), "f: byte 3: 2 dimensions, images have 3 or 4"},
      {idx({1, 1, 1, 1, 1}, "a"), "f: byte 3: 5 dimensions, images have 3 or 4"},
      {good.substr(0, 15), "f: byte 15: the file ends before the sizes of its 3 dimensions (copy it again)"},
      {idx({0, 2, 3}, ""), "f: byte 4: dimension 1 has the size 0"},
      {idx({2, 2, 0}, ""), "f: byte 12: dimension 3 has the size 0"},
      {idx({1, 8193, 1}, ""), "f: byte 8: a height of 8193, more than 8192"},
      {idx({1, 1, 0xFFFFFFFF}, ""), "f: byte 12: a width of 4294967295, more than 8192"},
      {idx({1, 1, 1, 17}, ""), "f: byte 16: a number of channels of 17, more than 16"},
      {idx({0xFFFFFFFF, 8192, 8192, 16}, "a"),
       "f: byte 21: the file ends, its sizes promise 4611686017353646100 bytes (copy it again)"},
      {good.substr(0, 27), "f: byte 27: the file ends, its sizes promise 28 bytes (copy it again)"},
      {good + "xy", "f: byte 28: the last value ends here, the file at byte 30 (copy it again)"}};
  for (const BadFile& file : files) {
    CHECK(error_text([&] { read_idx_images(file.bytes, "f"); }) == file.says);
  }
}

TEST_CASE("files that are no labels are refused with the byte") {
  const std::vector<BadFile> files = {
      {idx({1, 1, 1}, "a"), "f: byte 3: 3 dimensions, labels have 1 (are these the images?)"},
      {idx({}, ""), "f: byte 3: 0 dimensions, labels have 1"},
      {idx({0}, ""), "f: byte 4: dimension 1 has the size 0"},
      {idx({2}, "a"), "f: byte 9: the file ends, its sizes promise 10 bytes (copy it again)"},
      {idx({1}, "ab"), "f: byte 9: the last value ends here, the file at byte 10 (copy it again)"}};
  for (const BadFile& file : files) {
    CHECK(error_text([&] { read_idx_labels(file.bytes, "f"); }) == file.says);
  }
}

namespace {

// A record whose red, green and blue values begin with these; the rest is 7.
std::string record(const std::string& labels, const std::string& red, const std::string& green,
                   const std::string& blue) {
  std::string out = labels;
  for (const std::string* plane : {&red, &green, &blue}) {
    out += *plane;
    out.append(1024 - plane->size(), '\7');
  }
  return out;
}

std::string fault(const std::string& bytes) {
  return error_text([&] { read_cifar_images(bytes, "f"); });
}

}  // namespace

TEST_CASE("CIFAR-10: a label, then planes that become pixels") {
  const std::string bytes = record("\x09", "ad", "be", "cf") + record(std::string(1, '\0'), "x", "y", "z");
  const CifarImages images = read_cifar_images(bytes, "f");
  CHECK(images.count == 2);
  CHECK(images.classes == 10);
  CHECK(images.label(0) == 9);
  CHECK(images.label(1) == 0);
  std::array<std::uint8_t, 32 * 32 * 3> pixels{};
  images.read_pixels(0, pixels);
  CHECK(std::string(pixels.begin(), pixels.begin() + 7) == "abcdef\7");
  CHECK(pixels.back() == 7);
  images.read_pixels(1, pixels);
  CHECK(std::string(pixels.begin(), pixels.begin() + 4) == "xyz\7");
}

TEST_CASE("CIFAR-100: the second label is the one") {
  const std::string bytes = record("\x13\x63", "a", "b", "c");
  const CifarImages images = read_cifar_images(bytes, "f");
  CHECK(images.count == 1);
  CHECK(images.classes == 100);
  CHECK(images.label(0) == 99);
  std::array<std::uint8_t, 32 * 32 * 3> pixels{};
  images.read_pixels(0, pixels);
  CHECK(std::string(pixels.begin(), pixels.begin() + 3) == "abc");
}

TEST_CASE("where both lengths fit, the labels decide") {
  std::string bytes;  // 3,074 records of CIFAR-10 are as long as 3,073 of CIFAR-100
  for (int i = 0; i < 3074; ++i) bytes += record(std::string(1, static_cast<char>(i % 10)), "\xFF", "", "");
  CHECK(read_cifar_images(bytes, "f").classes == 10);
  bytes.clear();
  for (int i = 0; i < 3073; ++i) bytes += record("\x05\x46", "\xFF", "", "");
  CHECK(read_cifar_images(bytes, "f").classes == 100);
}

TEST_CASE("files that are no CIFAR records are refused") {
  CHECK(fault("") == "f: has 0 bytes, not records of 3,073 (CIFAR-10) or 3,074 (CIFAR-100) (copy it again)");
  CHECK(fault(record("\x01", "", "", "").substr(1)) ==
        "f: has 3,072 bytes, not records of 3,073 (CIFAR-10) or 3,074 (CIFAR-100) (copy it again)");
  CHECK(fault("\x1F\x8B\x08") == "f: is compressed (tar -xzf it first)");
  CHECK(fault(record("\x01", "", "", "") + record("\x0A", "", "", "")) ==
        "f: byte 3073: image 1 (from 0) has the label 10, not one of 0 .. 9 (is it a file of CIFAR-10?)");
  CHECK(fault(record("\x14\x01", "", "", "")) ==
        "f: byte 0: image 0 (from 0) has the label 20, not one of 0 .. 19 (is it a file of CIFAR-100?)");
  CHECK(fault(record("\x13\x64", "", "", "")) ==
        "f: byte 1: image 0 (from 0) has the label 100, not one of 0 .. 99 (is it a file of CIFAR-100?)");
}
