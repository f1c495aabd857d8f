// Images of other sizes: bilinear interpolation between pixels, as Keras' Resizing layer has it.
#pragma once

#include <cstdint>
#include <span>

#include "data/image_shape.hpp"
#include "tensor/matrix.hpp"

namespace headwater {

// Pixel centres lie at halves: output row y is at (y + 1/2) · from.height / height - 1/2 of the input, its
// value is linear between the two nearest rows, and columns likewise; there is no antialiasing, and beyond
// the outermost centres the outermost values hold. `out` holds height x width pixels of from.channels.
void resize_bilinear(std::span<const std::uint8_t> in, const ImageShape& from, std::int64_t height,
                     std::int64_t width, std::span<Real> out);
void resize_bilinear(std::span<const Real> in, const ImageShape& from, std::int64_t height,
                     std::int64_t width, std::span<Real> out);

}  // namespace headwater
