// Images of bytes in other sizes, with the filters of Pillow: the same bytes as Image.resize of its version
// 13 gives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "data/image_shape.hpp"

namespace headwater {

// By Pillow's numbers.
enum class ResizeFilter { nearest = 0, lanczos = 1, bilinear = 2, bicubic = 3, box = 4, hamming = 5 };
// "bicubic"; nothing for another number.
std::optional<std::string_view> name_of_filter(std::int64_t number);

// Columns first, then rows, each rounded to bytes; rows first where the image loses height, and more than
// twice as much of it as of width (up to Pillow 12 never). An output pixel is the sum of the input's around
// its centre, weighed by the filter, which is as many times wider as the image shrinks. Weights sum to 1 and
// have 22 binary places. `nearest` takes the pixel at the centre.
class AntialiasedResize {
 public:
  AntialiasedResize(const ImageShape& from, std::int64_t height, std::int64_t width, ResizeFilter filter);

  // Gives height x width pixels of from.channels.
  std::vector<std::uint8_t> operator()(std::span<const std::uint8_t> pixels) const;

 private:
  // What an output row or column is made of: input from `first` on, and their weights.
  struct Sum {
    std::size_t first = 0;
    std::vector<std::int64_t> weights;
  };
  static void add(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> in, const Sum& sum,
                  std::size_t stride, std::size_t places);
  static std::vector<Sum> sums(std::int64_t from, std::int64_t to, ResizeFilter filter);

  std::vector<std::uint8_t> across(std::span<const std::uint8_t> pixels, std::int64_t height) const;
  std::vector<std::uint8_t> down(std::span<const std::uint8_t> pixels, std::int64_t width) const;

  ImageShape from_;
  std::int64_t height_, width_;
  std::vector<Sum> rows_, columns_;  // empty: the side stays
};

// How a published model makes images of any sides those that it reads: resized, then cut out of the middle.
struct PublishedResize {
  bool is_resized = true;
  ResizeFilter filter = ResizeFilter::bilinear;
  std::int64_t height = 0, width = 0;  // of the resized image
  std::int64_t shortest = 0;           // not 0: of its shorter side, and the other keeps the ratio
  bool is_cut = false;

  ImageShape resized(const ImageShape& from) const;
  bool operator==(const PublishedResize&) const = default;
};
// The part in the middle. `to` is no larger.
std::vector<std::uint8_t> cut_middle(std::span<const std::uint8_t> pixels, const ImageShape& from,
                                     const ImageShape& to);

}  // namespace headwater
