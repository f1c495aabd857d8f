#include "data/image_file.hpp"

#include <algorithm>
#include <utility>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

enum class ImageFormat { png, jpeg };

struct Magic {
  std::string_view bytes;
  std::string_view name;
};
// Formats that users have, too; named so that the message says what to do.
constexpr Magic kForeign[] = {
    {"GIF8", "a GIF image"},    {"BM", "a BMP image"},    {"RIFF", "a WebP image"},
    {"II*", "a TIFF image"},    {"MM", "a TIFF image"},   {"\x1F\x8B", "compressed"},
    {"%PDF", "a PDF document"}, {"<svg", "an SVG image"}, {"\xFF\x0A", "a JPEG XL image"},
    {"P5", "a PGM image"},      {"P6", "a PPM image"},    {"version https://git-lfs", "a Git LFS pointer"}};

ImageFormat format_of(std::string_view bytes, std::string_view where) {
  if (bytes.starts_with("\x89PNG\r\n\x1A\n")) return ImageFormat::png;
  if (bytes.starts_with("\xFF\xD8\xFF")) return ImageFormat::jpeg;
  const std::string place(where);
  if (bytes.empty()) throw Error(place + ": the file is empty, not a PNG or JPEG image (copy it again)");
  for (const Magic& magic : kForeign) {
    if (!bytes.starts_with(magic.bytes)) continue;
    throw Error(place + ": is " + std::string(magic.name) +
                ", only PNG and JPEG images are read (convert it)");
  }
  throw Error(place + ": is no PNG or JPEG image, it begins with " + quote(bytes.substr(0, 8)));
}

// Row 0 and column 0 of the image as it lies are the sides that the table of EXIF 2.32, tag 274, names.
void turn_upright(DecodedImage& image) {
  const ImageShape lying = image.shape;
  const int tag = image.orientation;
  if (swaps_sides(tag)) std::swap(image.shape.height, image.shape.width);
  const bool from_right = tag == 2 || tag == 3 || tag == 7 || tag == 8;
  const bool from_below = tag == 3 || tag == 4 || tag == 6 || tag == 7;
  std::vector<std::uint8_t> pixels(image.pixels.size());
  std::uint8_t* out = pixels.data();
  for (std::int64_t row = 0; row < image.shape.height; ++row) {
    for (std::int64_t column = 0; column < image.shape.width; ++column, out += lying.channels) {
      std::int64_t y = swaps_sides(tag) ? column : row, x = swaps_sides(tag) ? row : column;
      if (from_below) y = lying.height - 1 - y;
      if (from_right) x = lying.width - 1 - x;
      const std::uint8_t* const in = image.pixels.data() + (y * lying.width + x) * lying.channels;
      std::copy(in, in + lying.channels, out);
    }
  }
  image.pixels = std::move(pixels);
}

}  // namespace

void check_image_size(std::string_view where, std::string_view bytes, std::int64_t height, std::int64_t width,
                      std::int64_t max_ratio) {
  const std::string sides = std::to_string(height) + "x" + std::to_string(width);
  if (height < 1 || width < 1 || height > kMaxImageSide || width > kMaxImageSide) {
    throw Error(std::string(where) + ": an image of " + sides + " pixels, height and width are 1 .. " +
                std::to_string(kMaxImageSide) + " (make it smaller)");
  }
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (height * width / max_ratio <= size) return;
  throw Error(std::string(where) + ": an image of " + sides + " pixels in " + format_count(size) +
              " bytes, which cannot hold so many (copy it again)");
}

void fail_damaged(std::string_view where, std::string_view format, std::string_view what) {
  throw Error(std::string(where) + ": damaged " + std::string(format) +
              " image: " + visible(what.substr(0, 120)) + " (copy it again)");
}

ImageHeader read_image_header(std::string_view bytes, std::string_view where, const ImageReading& reading) {
  ImageHeader header = format_of(bytes, where) == ImageFormat::png
                           ? read_png_header(bytes, where, reading.background)
                           : read_jpeg_header(bytes, where);
  if (reading.applies_orientation && swaps_sides(header.orientation))
    std::swap(header.shape.height, header.shape.width);
  return header;
}

DecodedImage decode_image(std::string_view bytes, std::string_view where, const ImageReading& reading) {
  DecodedImage image = format_of(bytes, where) == ImageFormat::png
                           ? decode_png(bytes, where, reading.background)
                           : decode_jpeg(bytes, where);
  if (reading.applies_orientation && image.orientation != 1) turn_upright(image);
  return image;
}

}  // namespace headwater
