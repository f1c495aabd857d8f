// What image_file.cpp asks of each format.
#pragma once

#include <string>
#include <string_view>

#include "data/image_file.hpp"

namespace headwater {

// Throws Error where an image of these sides is too large, or `bytes` too few for its pixels: no encoder
// makes more than `max_ratio` pixels of a byte.
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
