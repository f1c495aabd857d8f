// IDX files, the form of the MNIST database: two zero bytes, a byte for the type (0x08: unsigned bytes), a
// byte for the number of dimensions, their sizes as big-endian 32-bit numbers, then the values, the last
// dimension fastest (LeCun, Cortes and Burges, "The MNIST database of handwritten digits", FILE FORMATS).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "data/image_shape.hpp"

namespace headwater {

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
