// Images of other sizes: bilinear interpolation between pixels, as Keras' Resizing layer has it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/image_file.hpp"
#include "data/image_shape.hpp"
#include "tensor/matrix.hpp"

namespace headwater {

// Pixel centres lie at halves: output row y is at (y + 1/2) · from.height / height - 1/2 of the input, its
// value is linear between the two nearest rows, and columns likewise; there is no antialiasing, and beyond
// the outermost centres the outermost values hold.
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

}  // namespace headwater
