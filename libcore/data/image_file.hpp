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

// The rest is what image_file.cpp asks of each format. Throws Error where an image of these sides is too
// large, or `bytes` too few for its pixels: no encoder makes more than `max_ratio` pixels of a byte.
void check_image_size(std::string_view where, std::string_view bytes, std::int64_t height, std::int64_t width,
                      std::int64_t max_ratio);

// "where: damaged PNG image: IDAT: CRC error (copy it again)"
[[noreturn]] void fail_damaged(std::string_view where, std::string_view format, std::string_view what);

// Read images as they lie: the tag of orientation is read, and not applied.
ImageHeader read_png_header(std::string_view bytes, std::string_view where, const Background& background);
DecodedImage decode_png(std::string_view bytes, std::string_view where, const Background& background);

ImageHeader read_jpeg_header(std::string_view bytes, std::string_view where);
DecodedImage decode_jpeg(std::string_view bytes, std::string_view where);

}  // namespace headwater
