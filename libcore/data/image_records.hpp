// Files of many images of one shape: the binary forms of CIFAR and of the MNIST database.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "data/image_shape.hpp"

namespace headwater {

inline constexpr ImageShape kCifarShape{.height = 32, .width = 32, .channels = 3};

// The binary form of CIFAR-10 and CIFAR-100 (Krizhevsky 2009, "Learning Multiple Layers of Features from Tiny
// Images"; the database's page, "Binary version"). A record is a label of one byte (CIFAR-100: a coarse one,
// then a fine one) and an image of 32x32 pixels: all red, all green, all blue values, row by row.
struct CifarImages {
  std::int64_t count = 0;  // at least 1
  std::int64_t classes = 0;
  std::size_t label_bytes = 1;            // the last of them is the label
  std::span<const std::uint8_t> records;  // of the caller's bytes

  std::int64_t label(std::int64_t image) const { return record(image)[label_bytes - 1]; }
  void read_pixels(std::int64_t image, std::span<std::uint8_t> out) const;  // row by row, channels last

 private:
  std::span<const std::uint8_t> record(std::int64_t image) const;
};

// Which of the two it is, its length and its labels say. Throws Error "where: what (fix)".
CifarImages read_cifar_images(std::string_view bytes, std::string_view where);

// IDX files, the form of the MNIST database: two zero bytes, a byte for the type (0x08: unsigned bytes), a
// byte for the number of dimensions, their sizes as big-endian 32-bit numbers, then the values, the last
// dimension fastest (LeCun, Cortes and Burges, "The MNIST database of handwritten digits", FILE FORMATS).
struct IdxImages {
  std::int64_t count = 0;  // at least 1
  ImageShape shape;
  std::span<const std::uint8_t> pixels;  // [count, height, width, channels]; of the caller's bytes
};

// [N, H, W], or [N, H, W, C] as some sets of colour images have it. Throws Error "where: byte N: what (fix)".
IdxImages read_idx_images(std::string_view bytes, std::string_view where);

// [N], one label an image.
std::span<const std::uint8_t> read_idx_labels(std::string_view bytes, std::string_view where);

}  // namespace headwater
