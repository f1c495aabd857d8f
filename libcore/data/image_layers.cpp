#include "data/image_layers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/math_functions.hpp"

namespace headwater {
namespace {

// Further out than any image reaches, and still a whole number of Real.
constexpr Real kFarthest = Real(1 << 22);

// The row or column of an image of `size` that stands at place i, or -1: the fill value.
std::int64_t inside(std::int64_t i, std::int64_t size, FillMode mode) {
  if (i >= 0 && i < size) return i;
  switch (mode) {
    case FillMode::constant:
      return -1;
    case FillMode::nearest:
      return i < 0 ? 0 : size - 1;
    case FillMode::wrap:
      return (i % size + size) % size;
    case FillMode::reflect:
      break;
  }
  const std::int64_t period = 2 * size, at = (i % period + period) % period;
  return at < size ? at : period - 1 - at;
}

// The pixels of an image, and what lies beyond them.
class Pixels {
 public:
  Pixels(std::span<const Real> image, const ImageShape& shape, const Fill& fill)
      : image_(image.data()), shape_(shape), fill_(fill) {}

  // The pixel of a place, or null where the fill value stands.
  const Real* find(std::int64_t y, std::int64_t x) const {
    const std::int64_t row = inside(y, shape_.height, fill_.mode);
    const std::int64_t column = inside(x, shape_.width, fill_.mode);
    if (row < 0 || column < 0) return nullptr;
    return image_ + (row * shape_.width + column) * shape_.channels;
  }
  Real value(const Real* pixel, std::int64_t channel) const {
    return pixel == nullptr ? fill_.value : pixel[channel];
  }
  // The pixel of a place that, with its neighbours at the right and below, lies in the image; else null.
  const Real* find_with_neighbours(std::int64_t y, std::int64_t x) const {
    if (x < 0 || y < 0 || x + 1 >= shape_.width || y + 1 >= shape_.height) return nullptr;
    return image_ + (y * shape_.width + x) * shape_.channels;
  }

 private:
  const Real* image_;
  ImageShape shape_;
  Fill fill_;
};

Real between(Real a, Real b, Real weight) { return a + (b - a) * weight; }

// kChannels: those of the image, known beforehand since the loop over them is the innermost; 0: any.
template <std::int64_t kChannels>
void transform(const Pixels& in, const ImageShape& shape, const AffineMap& map, Interpolation interpolation,
               Real* to) {
  const std::int64_t channels = kChannels == 0 ? shape.channels : kChannels;
  const auto whole = [](Real value) { return static_cast<std::int64_t>(value); };
  for (std::int64_t row = 0; row < shape.height; ++row) {
    const auto out_y = static_cast<Real>(row);
    for (std::int64_t column = 0; column < shape.width; ++column, to += channels) {
      const auto out_x = static_cast<Real>(column);
      const Real x = std::clamp(map.a * out_x + map.b * out_y + map.c, -kFarthest, kFarthest);
      const Real y = std::clamp(map.d * out_x + map.e * out_y + map.f, -kFarthest, kFarthest);
      if (interpolation == Interpolation::nearest) {
        const Real* const pixel = in.find(whole(std::nearbyint(y)), whole(std::nearbyint(x)));
        for (std::int64_t c = 0; c < channels; ++c) to[c] = in.value(pixel, c);
        continue;
      }
      const Real left = std::floor(x), top = std::floor(y);
      const std::int64_t upper = whole(top), first = whole(left);
      const Real right_weight = x - left, low_weight = y - top;
      if (const Real* const p = in.find_with_neighbours(upper, first)) {  // most are, and it is faster
        const Real* const q = p + shape.width * channels;
        for (std::int64_t c = 0; c < channels; ++c) {
          to[c] = between(between(p[c], p[c + channels], right_weight),
                          between(q[c], q[c + channels], right_weight), low_weight);
        }
        continue;
      }
      const Real* const corners[4] = {in.find(upper, first), in.find(upper, first + 1),
                                      in.find(upper + 1, first), in.find(upper + 1, first + 1)};
      for (std::int64_t c = 0; c < channels; ++c) {
        to[c] = between(between(in.value(corners[0], c), in.value(corners[1], c), right_weight),
                        between(in.value(corners[2], c), in.value(corners[3], c), right_weight), low_weight);
      }
    }
  }
}

}  // namespace

AffineMap rotation_map(const ImageShape& shape, double turns) {
  const double angle = turns * 2 * std::numbers::pi, cos = cosine(angle), sin = sine(angle);
  const auto right = static_cast<double>(shape.width - 1), low = static_cast<double>(shape.height - 1);
  return {.a = static_cast<Real>(cos),
          .b = static_cast<Real>(-sin),
          .c = static_cast<Real>((right - (cos * right - sin * low)) / 2),
          .d = static_cast<Real>(sin),
          .e = static_cast<Real>(cos),
          .f = static_cast<Real>((low - (sin * right + cos * low)) / 2)};
}

AffineMap zoom_map(const ImageShape& shape, double height_factor, double width_factor) {
  const auto right = static_cast<double>(shape.width - 1), low = static_cast<double>(shape.height - 1);
  return {.a = static_cast<Real>(width_factor),
          .c = static_cast<Real>(right / 2 * (1 - width_factor)),
          .e = static_cast<Real>(height_factor),
          .f = static_cast<Real>(low / 2 * (1 - height_factor))};
}

void transform_image(std::span<const Real> in, const ImageShape& shape, const AffineMap& map,
                     const Fill& fill, std::span<Real> out) {
  const Pixels pixels(in, shape, fill);
  if (shape.channels == 1) return transform<1>(pixels, shape, map, fill.interpolation, out.data());
  if (shape.channels == 3) return transform<3>(pixels, shape, map, fill.interpolation, out.data());
  transform<0>(pixels, shape, map, fill.interpolation, out.data());
}

void flip_horizontally(std::span<Real> image, const ImageShape& shape) {
  for (std::int64_t row = 0; row < shape.height; ++row) {
    Real* const line = image.data() + row * shape.width * shape.channels;
    for (std::int64_t left = 0, right = shape.width - 1; left < right; ++left, --right) {
      std::swap_ranges(line + left * shape.channels, line + (left + 1) * shape.channels,
                       line + right * shape.channels);
    }
  }
}

void flip_vertically(std::span<Real> image, const ImageShape& shape) {
  const std::int64_t line = shape.width * shape.channels;
  for (std::int64_t top = 0, low = shape.height - 1; top < low; ++top, --low) {
    Real* const first = image.data() + top * line;
    std::swap_ranges(first, first + line, image.data() + low * line);
  }
}

void crop_image(std::span<const Real> in, const ImageShape& shape, const Window& window, const Fill& fill,
                std::span<Real> out) {
  const Pixels pixels(in, shape, fill);
  Real* to = out.data();
  for (std::int64_t row = 0; row < window.height; ++row) {
    for (std::int64_t column = 0; column < window.width; ++column, to += shape.channels) {
      const Real* const pixel = pixels.find(window.top + row, window.left + column);
      for (std::int64_t c = 0; c < shape.channels; ++c) to[c] = pixels.value(pixel, c);
    }
  }
}

}  // namespace headwater
