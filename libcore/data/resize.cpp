#include "data/resize.hpp"

#include <algorithm>
#include <cmath>

namespace headwater {

std::vector<BilinearResize::Between> BilinearResize::places(std::int64_t from, std::int64_t to) {
  const Real scale = static_cast<Real>(from) / static_cast<Real>(to);
  std::vector<Between> out;
  for (std::int64_t i = 0; i < to; ++i) {
    const Real at = (static_cast<Real>(i) + Real(0.5)) * scale - Real(0.5);
    const Real floor = std::floor(at);
    const auto low = static_cast<std::int64_t>(floor);
    out.push_back({.low = static_cast<std::size_t>(std::max<std::int64_t>(low, 0)),
                   .high = static_cast<std::size_t>(std::min(low + 1, from - 1)),
                   .weight = at - floor});
  }
  return out;
}

BilinearResize::BilinearResize(const ImageShape& from, std::int64_t height, std::int64_t width)
    : from_(from), rows_(places(from.height, height)), columns_(places(from.width, width)) {}

template <class Value, class NumberOf>
void BilinearResize::resize(std::span<const Value> in, const NumberOf& value, std::span<Real> out) const {
  const auto channels = static_cast<std::size_t>(from_.channels);
  const std::size_t line = static_cast<std::size_t>(from_.width) * channels;
  std::size_t at = 0;
  for (const Between& y : rows_) {
    const Value* const top = &in[y.low * line];
    const Value* const bottom = &in[y.high * line];
    for (const Between& x : columns_) {
      const std::size_t left = x.low * channels, right = x.high * channels;
      for (std::size_t c = 0; c < channels; ++c) {
        const Real a = value(c, top[left + c]), b = value(c, top[right + c]);
        const Real d = value(c, bottom[left + c]), e = value(c, bottom[right + c]);
        const Real above = a + (b - a) * x.weight, below = d + (e - d) * x.weight;
        out[at++] = above + (below - above) * y.weight;
      }
    }
  }
}

void BilinearResize::operator()(std::span<const std::uint8_t> in, std::span<Real> out) const {
  resize(
      in, [](std::size_t, std::uint8_t v) { return static_cast<Real>(v); }, out);
}

void BilinearResize::operator()(std::span<const Real> in, std::span<Real> out) const {
  resize(
      in, [](std::size_t, Real v) { return v; }, out);
}

void BilinearResize::operator()(std::span<const std::uint8_t> in, std::span<const Real> numbers,
                                std::span<Real> out) const {
  resize(
      in, [&](std::size_t channel, std::uint8_t v) { return numbers[256 * channel + v]; }, out);
}

void resize_image(DecodedImage& image, std::int64_t height, std::int64_t width) {
  if (image.shape.height == height && image.shape.width == width) return;
  const ImageShape to{.height = height, .width = width, .channels = image.shape.channels};
  std::vector<Real> resized(static_cast<std::size_t>(to.bytes()));
  BilinearResize(image.shape, height, width)(image.pixels, resized);
  image.pixels.clear();
  for (const Real value : resized) image.pixels.push_back(static_cast<std::uint8_t>(std::lround(value)));
  image.shape = to;
}

}  // namespace headwater
