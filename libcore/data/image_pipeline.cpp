#include "data/image_pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/error.hpp"
#include "support/math_functions.hpp"
#include "support/random.hpp"

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

namespace {

constexpr double kSmallestStd = 1e-7;  // as Keras' Normalization

Real normalized(int byte, std::size_t channel, const ImagePipelineSettings& settings,
                const ChannelStatistics& statistics) {
  if (settings.normalization == Normalization::unit) return static_cast<Real>(byte) / Real(255);
  if (!settings.is_standardized()) return static_cast<Real>(byte) / Real(127.5) - Real(1);
  const double std = std::max(statistics.std[channel], kSmallestStd);
  return static_cast<Real>((byte / 255.0 - statistics.mean[channel]) / std);
}

void check_fit(Resizing resizing, const ImageShape& from, const ImageShape& to) {
  const bool fits = resizing == Resizing::bilinear || (from.height == to.height && from.width == to.width) ||
                    (resizing == Resizing::crop && from.height >= to.height && from.width >= to.width);
  if (fits && from.channels == to.channels) return;
  throw Error("images of " + from.text() + " cannot become those of " + to.text() + " that the model reads" +
              (from.channels != to.channels
                   ? " (channels must be equal)"
                   : " (set model.resizing to bilinear before training, or resize the images)"));
}

// The shape that a published model makes of an image before it cuts it.
ImageShape published_shape(const PublishedResize& how, const ImageShape& from, const ImageShape& to) {
  const ImageShape shape = how.resized(from);
  const bool fits = how.is_cut ? shape.height >= to.height && shape.width >= to.width
                               : shape.height == to.height && shape.width == to.width;
  if (from.channels != to.channels) check_fit(Resizing::none, from, to);
  if (fits && shape.height <= kMaxImageSide && shape.width <= kMaxImageSide) return shape;
  throw Error("an image of " + std::to_string(from.height) + "x" + std::to_string(from.width) + " becomes " +
              std::to_string(shape.height) + "x" + std::to_string(shape.width) +
              " by preprocessor_config.json, and the model reads " + std::to_string(to.height) + "x" +
              std::to_string(to.width) + " (cut or resize the image first)");
}

// A factor from 1 - range to 1 + range; the same of an angle around 0.
double around(double middle, double range, float draw) { return middle + range * (2.0 * draw - 1); }

std::int64_t place(float draw, std::int64_t places) {
  return std::min(static_cast<std::int64_t>(static_cast<double>(draw) * static_cast<double>(places)),
                  places - 1);
}

}  // namespace

ChannelStatistics channel_statistics(const Subset& subset) {
  const auto& images = static_cast<const ImageDataset&>(*subset.dataset);
  const std::size_t channels = images.shape().channels;
  // Sums of at most 2^64 / 255^2 pixels, more than there can be.
  std::vector<std::uint64_t> sums(channels), squares(channels);
  for (std::size_t i = 0; i < subset.count(); ++i) {
    const auto pixels = images.pixels(subset.at(static_cast<std::uint32_t>(i)));
    for (std::size_t at = 0; at < pixels.size(); at += channels) {
      for (std::size_t c = 0; c < channels; ++c) {
        const std::uint64_t value = pixels[at + c];
        sums[c] += value;
        squares[c] += value * value;
      }
    }
  }
  const double pixels =
      static_cast<double>(subset.count()) * static_cast<double>(images.shape().height * images.shape().width);
  ChannelStatistics out;
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = static_cast<double>(sums[c]) / pixels;
    const double variance = std::max(static_cast<double>(squares[c]) / pixels - mean * mean, 0.0);
    out.mean.push_back(mean / 255);
    out.std.push_back(std::sqrt(variance) / 255);
  }
  return out;
}

ImageDraws image_draws(std::uint64_t seed, std::int64_t epoch, std::int64_t example) {
  const RandomStream stream{
      .seed = seed, .purpose = Purpose::image_augmentation, .step = static_cast<std::uint32_t>(epoch)};
  const auto draw = [&](std::uint64_t which) {
    return random_uniform(stream, static_cast<std::uint64_t>(example) * 8 + which);
  };
  return {.flip_horizontal = draw(0),
          .flip_vertical = draw(1),
          .rotation = draw(2),
          .zoom_height = draw(3),
          .zoom_width = draw(4),
          .crop_top = draw(5),
          .crop_left = draw(6)};
}

ImagePipeline::ImagePipeline(const ImagePipelineSettings& settings, const ChannelStatistics& statistics,
                             const ImageShape& from, const ImageShape& to)
    : settings_(settings), from_(from), to_(to) {
  if (settings.published) {
    resized_ = published_shape(*settings.published, from, to);
    if (resized_ != from)
      antialiased_.emplace(from, resized_.height, resized_.width, settings.published->filter);
    from_ = to;  // of what follows
  } else {
    check_fit(settings.resizing, from, to);
  }
  for (std::size_t c = 0; c < static_cast<std::size_t>(from.channels); ++c) {
    for (int byte = 0; byte < 256; ++byte) table_.push_back(normalized(byte, c, settings, statistics));
  }
  if (settings.resizing == Resizing::bilinear && from_ != to)
    resize_ = BilinearResize(from_, to.height, to.width);
  fill_ = {.mode = settings.fill_mode,
           .value = static_cast<Real>(settings.fill_value),
           .interpolation = settings.interpolation};
}

std::span<const std::uint8_t> ImagePipeline::fitted(std::span<const std::uint8_t> pixels,
                                                    Scratch& scratch) const {
  if (!settings_.published) return pixels;
  if (antialiased_) pixels = scratch.bytes = (*antialiased_)(pixels);
  if (resized_ != to_) pixels = scratch.bytes = cut_middle(pixels, resized_, to_);
  return pixels;
}

std::span<const Real> ImagePipeline::apply(std::span<const std::uint8_t> pixels, const ImageDraws* draws,
                                           Scratch& scratch) const {
  pixels = fitted(pixels, scratch);
  const std::size_t channels = from_.channels;
  const bool shrinks = settings_.resizing == Resizing::bilinear && from_.bytes() > to_.bytes();
  const auto size = static_cast<std::size_t>(to_.bytes()),
             most = shrinks ? size : std::max(size, pixels.size());
  if (scratch.values.size() < most) scratch.values.resize(most);
  if (scratch.other.size() < size) scratch.other.resize(size);
  if (shrinks) {  // most of a large image is not read: no room for its numbers
    resize_(pixels, table_, scratch.values);
  } else {
    for (std::size_t at = 0; at < pixels.size(); at += channels) {
      for (std::size_t c = 0; c < channels; ++c) scratch.values[at + c] = table_[256 * c + pixels[at + c]];
    }
  }
  fit(shrinks ? to_ : from_, draws, scratch);
  if (draws != nullptr) change(*draws, scratch);
  return std::span(scratch.values).first(to_.bytes());
}

std::vector<std::uint8_t> ImagePipeline::bytes_of(std::span<const Real> numbers) const {
  const std::size_t channels = from_.channels;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(numbers.size());
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    const Real* const table = table_.data() + 256 * (at % channels);  // a line through 256 numbers, rising
    const Real share = std::clamp((numbers[at] - table[0]) / (table[255] - table[0]), Real(0), Real(1));
    bytes.push_back(static_cast<std::uint8_t>(std::lround(share * 255)));
  }
  return bytes;
}

// The place of the cut: anywhere in the image with its padding, or in the middle.
Window ImagePipeline::window(const ImageDraws* draws) const {
  const std::int64_t padding = settings_.random_crop_padding;
  const ImageShape& in = settings_.resizing == Resizing::bilinear ? to_ : from_;
  Window out{.height = to_.height, .width = to_.width};
  if (draws == nullptr) {
    out.top = (in.height - to_.height) / 2;
    out.left = (in.width - to_.width) / 2;
  } else {
    out.top = place(draws->crop_top, in.height + 2 * padding - to_.height + 1) - padding;
    out.left = place(draws->crop_left, in.width + 2 * padding - to_.width + 1) - padding;
  }
  return out;
}

// To the size that the model reads.
void ImagePipeline::fit(const ImageShape& have, const ImageDraws* draws, Scratch& scratch) const {
  const ImageShape& in = settings_.resizing == Resizing::bilinear ? to_ : from_;
  if (in != have) {
    resize_(std::span<const Real>(scratch.values), scratch.other);
    scratch.values.swap(scratch.other);
  }
  if (in == to_ && (draws == nullptr || settings_.random_crop_padding == 0)) return;
  crop_image(scratch.values, in, window(draws), fill_, scratch.other);
  scratch.values.swap(scratch.other);
}

void ImagePipeline::change(const ImageDraws& draws, Scratch& scratch) const {
  const RandomFlip flip = settings_.random_flip;
  const bool is_both = flip == RandomFlip::horizontal_and_vertical;
  if ((flip == RandomFlip::horizontal || is_both) && draws.flip_horizontal < 0.5f)
    flip_horizontally(scratch.values, to_);
  if ((flip == RandomFlip::vertical || is_both) && draws.flip_vertical < 0.5f)
    flip_vertically(scratch.values, to_);
  if (settings_.random_rotation > 0) {
    const AffineMap map = rotation_map(to_, around(0, settings_.random_rotation, draws.rotation));
    transform_image(scratch.values, to_, map, fill_, scratch.other);
    scratch.values.swap(scratch.other);
  }
  if (settings_.random_zoom_height > 0 || settings_.random_zoom_width > 0) {
    const AffineMap map = zoom_map(to_, around(1, settings_.random_zoom_height, draws.zoom_height),
                                   around(1, settings_.random_zoom_width, draws.zoom_width));
    transform_image(scratch.values, to_, map, fill_, scratch.other);
    scratch.values.swap(scratch.other);
  }
}

}  // namespace headwater
