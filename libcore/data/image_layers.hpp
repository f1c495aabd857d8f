// What changes the geometry of images, as Keras' layers RandomFlip, RandomRotation, RandomZoom and RandomCrop
// do it, for random numbers that are given. Images are numbers, row by row, channels last.
#pragma once

#include <cstdint>
#include <span>

#include "data/image_shape.hpp"
#include "tensor/matrix.hpp"

namespace headwater {

// What lies beyond the edge of a b c d: reflect d c b a | a b c d | d c b a; wrap a b c d | a b c d | a b c
// d; nearest a a a a | a b c d | d d d d; constant: the fill value.
enum class FillMode { reflect, constant, wrap, nearest };
enum class Interpolation { bilinear, nearest };

struct Fill {
  FillMode mode = FillMode::reflect;
  Real value = 0;
  Interpolation interpolation = Interpolation::bilinear;
};

// The output's pixel at column x, row y is the input's at (a·x + b·y + c, d·x + e·y + f).
struct AffineMap {
  Real a = 1, b = 0, c = 0, d = 0, e = 1, f = 0;
};

// Around the image's centre, counterclockwise, by a share of a full turn.
AffineMap rotation_map(const ImageShape& shape, double turns);
// Factors above 1 show more than the image (zoom out), below 1 less.
AffineMap zoom_map(const ImageShape& shape, double height_factor, double width_factor);

// `out` has the shape of `in`, and is other memory.
void transform_image(std::span<const Real> in, const ImageShape& shape, const AffineMap& map,
                     const Fill& fill, std::span<Real> out);

void flip_horizontally(std::span<Real> image, const ImageShape& shape);
void flip_vertically(std::span<Real> image, const ImageShape& shape);

// A window; top and left may lie beyond the image, whose outside is filled.
struct Window {
  std::int64_t top = 0, left = 0, height = 0, width = 0;
};
void crop_image(std::span<const Real> in, const ImageShape& shape, const Window& window, const Fill& fill,
                std::span<Real> out);

}  // namespace headwater
