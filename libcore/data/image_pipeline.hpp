// From the bytes of an image to the numbers that a model reads: normalization, another size, and in training
// random changes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/image_dataset.hpp"
#include "data/image_shape.hpp"
#include "data/resize.hpp"
#include "tensor/matrix.hpp"

namespace headwater {

// What changes the geometry of images, as Keras' layers RandomFlip, RandomRotation, RandomZoom and RandomCrop
// do it, for random numbers that are given. Images are numbers, row by row, channels last.

// What lies beyond the edges of the pixels a b c d:
//   reflect   d c b a | a b c d | d c b a
//   wrap      a b c d | a b c d | a b c d
//   nearest   a a a a | a b c d | d d d d
//   constant  the fill value on both sides
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

enum class Normalization { symmetric, unit, standardized };
enum class Resizing { none, bilinear, crop };
enum class RandomFlip { none, horizontal, vertical, horizontal_and_vertical };

struct ImagePipelineSettings {
  Normalization normalization = Normalization::symmetric;
  Resizing resizing = Resizing::none;
  RandomFlip random_flip = RandomFlip::none;
  double random_rotation = 0;  // a share of a full turn, either way
  double random_zoom_height = 0, random_zoom_width = 0;
  std::int64_t random_crop_padding = 0;  // pixels on each side before a window is cut out
  FillMode fill_mode = FillMode::reflect;
  double fill_value = 0;  // of normalized numbers
  Interpolation interpolation = Interpolation::bilinear;
  std::optional<PublishedResize> published = {};  // of a published model: in the place of resizing; no key

  bool is_standardized() const { return normalization == Normalization::standardized; }
  bool takes_other_sizes() const { return resizing != Resizing::none; }
  // Whether images of training are not those of validation.
  bool is_random() const {
    return random_flip != RandomFlip::none || random_rotation > 0 || random_zoom_height > 0 ||
           random_zoom_width > 0 || random_crop_padding > 0 || resizing == Resizing::crop;
  }
};

// Mean and standard deviation of pixels from 0 to 1 by channel; none where images are not standardized.
struct ChannelStatistics {
  std::vector<double> mean, std;
};

// Mean and deviation over all pixels of these images: sums of whole numbers, so that no order of adding
// shows.
ChannelStatistics channel_statistics(const Subset& images);

// The uniform numbers from 0 to 1 that decide how one image is changed.
struct ImageDraws {
  float flip_horizontal = 0, flip_vertical = 0;  // below 1/2: flipped
  float rotation = 0, zoom_height = 0, zoom_width = 0, crop_top = 0, crop_left = 0;
};
// A function of these three alone. `example`: the number of the image in its data set.
ImageDraws image_draws(std::uint64_t seed, std::int64_t epoch, std::int64_t example);

class ImagePipeline {
 public:
  // For images of the shape `from` to those of `to`. Throws Error where they cannot become such.
  ImagePipeline(const ImagePipelineSettings& settings, const ChannelStatistics& statistics,
                const ImageShape& from, const ImageShape& to);

  // Memory of the caller, one a thread, used again and again.
  struct Scratch {
    std::vector<Real> values, other;
    std::vector<std::uint8_t> bytes;
  };
  // The numbers of an image, in the scratch: valid until its next use. Without draws the part that is not
  // random, as in validation: of a crop the middle.
  std::span<const Real> apply(std::span<const std::uint8_t> pixels, const ImageDraws* draws,
                              Scratch& scratch) const;
  // Bytes whose numbers are nearest to these: pixels of images as they are looked at.
  std::vector<std::uint8_t> bytes_of(std::span<const Real> numbers) const;

 private:
  // The bytes in other sides, as a published model wants them; in the scratch.
  std::span<const std::uint8_t> fitted(std::span<const std::uint8_t> pixels, Scratch& scratch) const;
  // The numbers in the scratch are of the shape `have`.
  void fit(const ImageShape& have, const ImageDraws* draws, Scratch& scratch) const;
  void change(const ImageDraws& draws, Scratch& scratch) const;
  Window window(const ImageDraws* draws) const;

  ImagePipelineSettings settings_;
  ImageShape from_, to_;
  std::vector<Real> table_;  // [channels, 256]: the number of each byte
  BilinearResize resize_;
  ImageShape resized_;  // of a published model: what an image becomes before it is cut
  std::optional<AntialiasedResize> antialiased_;
  Fill fill_;
};

}  // namespace headwater
