#include "reports/picture.hpp"

#include <algorithm>

#include "data/image_file.hpp"
#include "support/error.hpp"

namespace headwater {

Picture picture_of(const ImageShape& shape, std::span<const std::uint8_t> pixels) {
  Picture picture{.height = shape.height, .width = shape.width, .pixels = {}};
  const auto channels = static_cast<std::size_t>(shape.channels);
  picture.pixels.reserve(pixels.size() / channels * 3);
  for (std::size_t at = 0; at + channels <= pixels.size(); at += channels) {
    for (std::size_t c = 0; c < 3; ++c) picture.pixels.push_back(pixels[at + (channels >= 3 ? c : 0)]);
  }
  return picture;
}

Picture cropped(const Picture& picture, std::int64_t height, std::int64_t width) {
  Picture part{.height = height, .width = width, .pixels = {}};
  for (std::int64_t row = 0; row < height; ++row) {
    const auto begin = picture.pixels.begin() + 3 * row * picture.width;
    part.pixels.insert(part.pixels.end(), begin, begin + 3 * width);
  }
  return part;
}

Picture picture_of_numbers(std::int64_t height, std::int64_t width, std::span<const double> numbers,
                           double most, Color (*scale)(double)) {
  check_picture_size(height, width);
  Picture picture{.height = height, .width = width, .pixels = {}};
  picture.pixels.reserve(numbers.size() * 3);
  for (const double number : numbers) {
    const Color color = scale(most > 0 ? number / most : 0);
    picture.pixels.insert(picture.pixels.end(), {color.red, color.green, color.blue});
  }
  return picture;
}

Picture magnified(const Picture& picture, std::int64_t factor) {
  Picture out{.height = picture.height * factor, .width = picture.width * factor, .pixels = {}};
  out.pixels.reserve(out.height * out.width * 3);
  for (std::int64_t y = 0; y < out.height; ++y) {
    for (std::int64_t x = 0; x < out.width; ++x) {
      const auto at = picture.pixels.begin() + (y / factor * picture.width + x / factor) * 3;
      out.pixels.insert(out.pixels.end(), at, at + 3);
    }
  }
  return out;
}

std::int64_t magnification(std::int64_t height, std::int64_t width) {
  const std::int64_t side = std::max(height, width);
  return std::max<std::int64_t>(1, (144 + side / 2) / side);
}

void check_picture_size(std::int64_t height, std::int64_t width) {
  constexpr std::int64_t kMaxPixels = std::int64_t{1} << 27;
  if (height <= kMaxPictureSide && width <= kMaxPictureSide && height * width <= kMaxPixels) return;
  throw Error("a picture of " + std::to_string(height) + "x" + std::to_string(width) +
              " pixels: height and width are at most " + std::to_string(kMaxPictureSide) +
              ", their product " + std::to_string(kMaxPixels) + " (show fewer images)");
}

static Picture white(std::int64_t height, std::int64_t width) {
  check_picture_size(height, width);
  return {.height = height,
          .width = width,
          .pixels = std::vector<std::uint8_t>(static_cast<std::size_t>(height * width * 3), 255)};
}

static void put(const Picture& picture, std::int64_t top, std::int64_t left, Picture& out) {
  for (std::int64_t y = 0; y < picture.height; ++y) {
    const auto line = picture.pixels.begin() + y * picture.width * 3;
    std::copy(line, line + picture.width * 3, out.pixels.begin() + ((top + y) * out.width + left) * 3);
  }
}

Picture sheet(std::span<const Picture> pictures, std::int64_t columns, std::int64_t gap) {
  if (pictures.empty()) throw Error("picture: no images");
  Picture largest;
  for (const Picture& picture : pictures) {
    largest.height = std::max(largest.height, picture.height);
    largest.width = std::max(largest.width, picture.width);
  }
  const auto count = static_cast<std::int64_t>(pictures.size());
  columns = std::min(columns, count);
  const std::int64_t rows = (count + columns - 1) / columns;
  Picture out = white(rows * (largest.height + gap) - gap, columns * (largest.width + gap) - gap);
  for (std::int64_t i = 0; i < count; ++i) {
    put(pictures[i], i / columns * (largest.height + gap), i % columns * (largest.width + gap), out);
  }
  return out;
}

Picture beside(const Picture& left, const Picture& right, std::int64_t gap) {
  Picture out = white(std::max(left.height, right.height), left.width + gap + right.width);
  put(left, 0, 0, out);
  put(right, 0, left.width + gap, out);
  return out;
}

std::string png_of(const Picture& picture) {
  return encode_png({.height = picture.height, .width = picture.width, .channels = 3}, picture.pixels);
}

}  // namespace headwater
