#include "data/image_records.hpp"
#include "error_text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace headwater;

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
