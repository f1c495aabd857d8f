// What holds for any bytes read as an image, of whatever format.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "data/image_file.hpp"
#include "support/error.hpp"

// Ends the program where it does not hold.
inline void check_image_file(std::string_view bytes, const headwater::ImageReading& reading) {
  using namespace headwater;
  try {
    const ImageHeader header = read_image_header(bytes, "f", reading);
    const ImageShape promised = header.shape;
    if (promised.height < 1 || promised.height > kMaxImageSide || promised.width < 1 ||
        promised.width > kMaxImageSide || (promised.channels != 1 && promised.channels != 3)) {
      std::abort();
    }
    if (promised.height * promised.width > 1 << 22) return;  // takes too long for a target
    const DecodedImage image = decode_image(bytes, "f", reading);
    if (image.shape != promised || image.orientation != header.orientation) std::abort();
    if (image.is_transparent && !header.may_be_transparent) std::abort();
    if (static_cast<std::int64_t>(image.pixels.size()) != image.shape.bytes()) std::abort();
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f: ") || what.size() > 400) std::abort();
    for (const char c : what) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) std::abort();
    }
  }
}

inline void check_image_file(std::string_view bytes) {
  check_image_file(bytes, {});
  check_image_file(bytes, {.background = headwater::background_of("#ff8000"), .applies_orientation = true});
}
