// PNG files by libpng's function for whole images, which answers errors instead of jumping.
#include <png.h>

#include "data/image_file.hpp"
#include "support/error.hpp"

namespace headwater {

std::string encode_png(const ImageShape& shape, std::span<const std::uint8_t> pixels) {
  const bool is_grey = shape.channels == 1;
  if ((!is_grey && shape.channels != 3) || shape.height < 1 || shape.width < 1 ||
      shape.height > kMaxPictureSide || shape.width > kMaxPictureSide ||
      static_cast<std::int64_t>(pixels.size()) != shape.bytes()) {
    throw Error("png: " + std::to_string(pixels.size()) + " bytes for an image of " + shape.text());
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(shape.width);
  image.height = static_cast<png_uint_32>(shape.height);
  image.format = is_grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(size, '\0');
  if (png_image_write_to_memory(&image, file.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
    throw Error("png: " + std::string(image.message));
  file.erase(size);
  return file;
}

}  // namespace headwater
