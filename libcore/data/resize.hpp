// Images of other sizes, as Keras' Resizing layer and as Pillow make them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "data/image_file.hpp"
#include "data/image_shape.hpp"
#include "tensor/matrix.hpp"

namespace headwater {

// Bilinear interpolation between pixels, as in Keras. Pixel centres lie at halves: output row y is at (y +
// 1/2) · from.height / height - 1/2 of the input, its value is linear between the two nearest rows, and
// columns likewise; there is no antialiasing, and beyond the outermost centres the outermost values hold.
class BilinearResize {
 public:
  BilinearResize() = default;
  BilinearResize(const ImageShape& from, std::int64_t height, std::int64_t width);

  // `out` holds height x width pixels of from.channels.
  void operator()(std::span<const std::uint8_t> in, std::span<Real> out) const;
  void operator()(std::span<const Real> in, std::span<Real> out) const;
  // Resizes the numbers that bytes stand for; numbers: [channels, 256].
  void operator()(std::span<const std::uint8_t> in, std::span<const Real> numbers, std::span<Real> out) const;

 private:
  // Where an output row or column lies between two of the input.
  struct Between {
    std::size_t low = 0, high = 0;
    Real weight = 0;  // of high
  };
  static std::vector<Between> places(std::int64_t from, std::int64_t to);
  // value(channel, v): the number that an element v of `in` stands for.
  template <class Value, class NumberOf>
  void resize(std::span<const Value> in, const NumberOf& value, std::span<Real> out) const;

  ImageShape from_;
  std::vector<Between> rows_, columns_;
};

// The image with other sides, each number rounded to a byte. One that has them stays as it is.
void resize_image(DecodedImage& image, std::int64_t height, std::int64_t width);

// The filters of Pillow, by its numbers.
enum class ResizeFilter { nearest = 0, lanczos = 1, bilinear = 2, bicubic = 3, box = 4, hamming = 5 };
// "bicubic"; nothing for another number.
std::optional<std::string_view> name_of_filter(std::int64_t number);

// The same bytes as Image.resize of Pillow 13 gives. Columns first, then rows, each rounded to bytes; rows
// first where the image loses height, and more than twice as much of it as of width (up to Pillow 12 never).
// An output pixel is the sum of the input's around its centre, weighed by the filter, which is as many times
// wider as the image shrinks. Weights sum to 1 and have 22 binary places. `nearest` takes the pixel at the
// centre.
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
