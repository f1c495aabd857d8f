// PNG and JPEG images of bytes, one channel (grey) or three (red, green, blue). Nothing in the bytes is
// trusted: sizes are held to kMaxImageSide, and to what so many bytes can hold, before memory is taken.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/image_reading.hpp"
#include "data/image_shape.hpp"

namespace headwater {

struct DecodedImage {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;  // row by row, channels last
  bool is_transparent = false;       // in a pixel at least
  int orientation = 1;               // what the file's tag says, applied or not
};

struct ImageHeader {
  ImageShape shape;  // of what decode_image would give
  bool may_be_transparent = false;
  int orientation = 1;
};

// From what stands before the pixels alone. Throws Error "where: what (fix)".
ImageHeader read_image_header(std::string_view bytes, std::string_view where,
                              const ImageReading& reading = {});

// 16-bit values are rounded to 8 bits, palettes and CMYK become RGB, of an animation there is the default
// image; colour profiles are not applied. Transparent pixels are mixed with the background as the numbers of
// their colours, 0 to 255; on a background with a colour grey ones become RGB. A file that ends early, is
// damaged within its pixels, or has a pixel without a colour in its palette is an Error "where: what (fix)".
DecodedImage decode_image(std::string_view bytes, std::string_view where, const ImageReading& reading = {});

constexpr std::int64_t kMaxPictureSide = 32768;  // of what we draw
// A PNG file of an image with one channel or three: the same bytes for the same pixels.
std::string encode_png(const ImageShape& shape, std::span<const std::uint8_t> pixels);

}  // namespace headwater
