// PNG and JPEG images of bytes, one channel (grey) or three (red, green, blue). Nothing in the bytes is
// trusted: sizes are held to kMaxImageSide, and to what so many bytes can hold, before memory is taken.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/image_shape.hpp"

namespace headwater {

struct DecodedImage {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;  // row by row, channels last
};

// What decode_image would give, from the file's header alone. Throws Error "where: what (fix)".
ImageShape read_image_shape(std::string_view bytes, std::string_view where);

// 16-bit values are rounded to 8 bits, palettes and CMYK become RGB, transparency is dropped, of an animation
// there is the default image; colour profiles and the orientation in EXIF are not applied. A file that ends
// early, is damaged within its pixels, or has a pixel without a colour in its palette is an Error "where:
// what (fix)".
DecodedImage decode_image(std::string_view bytes, std::string_view where);

constexpr std::int64_t kMaxPictureSide = 32768;  // of what we draw
// A PNG file of an image with one channel or three: the same bytes for the same pixels.
std::string encode_png(const ImageShape& shape, std::span<const std::uint8_t> pixels);

}  // namespace headwater
