#include "data/resize.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/math_functions.hpp"

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
  const std::size_t channels = from_.channels;
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
  std::vector<Real> resized(to.bytes());
  BilinearResize(image.shape, height, width)(image.pixels, resized);
  image.pixels.clear();
  for (const Real value : resized) image.pixels.push_back(static_cast<std::uint8_t>(std::lround(value)));
  image.shape = to;
}

namespace {

constexpr int kPlaces = 22;  // binary ones of a weight
constexpr std::int64_t kOne = std::int64_t{1} << kPlaces;

double sinc(double x) { return x == 0 ? 1 : sine(x * std::numbers::pi) / (x * std::numbers::pi); }

// Keys 1981, a = -1/2.
double cubic(double x) {
  x = std::abs(x);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * -0.5 : 0;
}

// How far the filter reaches to either side, and its value at x.
struct Shape {
  double support;
  double (*value)(double x);
};

Shape shape_of(ResizeFilter filter) {
  switch (filter) {
    case ResizeFilter::lanczos:
      return {3, [](double x) { return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0.0; }};
    case ResizeFilter::bicubic:
      return {2, cubic};
    case ResizeFilter::box:
      return {0.5, [](double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }};
    case ResizeFilter::hamming:
      return {1, [](double x) {
                return std::abs(x) < 1 ? sinc(x) * (0.54 + 0.46 * cosine(x * std::numbers::pi)) : 0.0;
              }};
    case ResizeFilter::nearest:
    case ResizeFilter::bilinear:
      break;
  }
  return {1, [](double x) { return std::max(0.0, 1 - std::abs(x)); }};
}

std::uint8_t byte_of(std::int64_t sum) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> kPlaces, 0, 255));
}

}  // namespace

std::optional<std::string_view> name_of_filter(std::int64_t number) {
  constexpr std::string_view kNames[] = {"nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"};
  if (number < 0 || number >= static_cast<std::int64_t>(std::size(kNames))) return std::nullopt;
  return kNames[number];
}

std::vector<AntialiasedResize::Sum> AntialiasedResize::sums(std::int64_t from, std::int64_t to,
                                                            ResizeFilter filter) {
  std::vector<Sum> out;
  if (from == to) return out;
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  if (filter == ResizeFilter::nearest) {
    double at = scale * 0.5;
    for (std::int64_t i = 0; i < to; ++i, at += scale)
      out.push_back({static_cast<std::size_t>(std::min(static_cast<std::int64_t>(at), from - 1)), {kOne}});
    return out;
  }
  const Shape shape = shape_of(filter);
  const double stretch = std::max(scale, 1.0), reach = shape.support * stretch;
  for (std::int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(std::floor(centre - reach + 0.5)), 0);
    const auto end = std::min(static_cast<std::int64_t>(std::floor(centre + reach + 0.5)), from);
    std::vector<double> weights;
    double total = 0;
    for (std::int64_t at = first; at < end; ++at) {
      weights.push_back(shape.value((static_cast<double>(at) - centre + 0.5) * (1 / stretch)));
      total += weights.back();
    }
    Sum& sum = out.emplace_back(Sum{static_cast<std::size_t>(first), {}});
    for (const double weight : weights)
      sum.weights.push_back(std::llround(weight / total * static_cast<double>(kOne)));
  }
  return out;
}

// Sums over `in` of numbers that lie `stride` apart, a step's places side by side.
void AntialiasedResize::add(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> in, const Sum& sum,
                            std::size_t stride, std::size_t places) {
  for (std::size_t place = 0; place < places; ++place) {
    std::int64_t value = kOne / 2;
    for (std::size_t i = 0; i < sum.weights.size(); ++i)
      value += sum.weights[i] * in[(sum.first + i) * stride + place];
    out.push_back(byte_of(value));
  }
}

AntialiasedResize::AntialiasedResize(const ImageShape& from, std::int64_t height, std::int64_t width,
                                     ResizeFilter filter)
    : from_(from),
      height_(height),
      width_(width),
      rows_(sums(from.height, height, filter)),
      columns_(sums(from.width, width, filter)) {}

std::vector<std::uint8_t> AntialiasedResize::operator()(std::span<const std::uint8_t> pixels) const {
  const std::int64_t lost = from_.height - height_;
  const bool has_rows_first = lost > 0 && lost > 2 * (from_.width - width_);
  return has_rows_first ? across(down(pixels, from_.width), height_)
                        : down(across(pixels, from_.height), width_);
}

// `pixels` has `height` rows.
std::vector<std::uint8_t> AntialiasedResize::across(std::span<const std::uint8_t> pixels,
                                                    std::int64_t height) const {
  if (columns_.empty()) return {pixels.begin(), pixels.end()};
  const std::size_t channels = from_.channels;
  const std::size_t line = static_cast<std::size_t>(from_.width) * channels;
  std::vector<std::uint8_t> out;
  out.reserve(static_cast<std::size_t>(height) * columns_.size() * channels);
  for (std::size_t row = 0; row < static_cast<std::size_t>(height); ++row) {
    for (const Sum& column : columns_) add(out, pixels.subspan(row * line, line), column, channels, channels);
  }
  return out;
}

// `pixels` has rows of `width` pixels.
std::vector<std::uint8_t> AntialiasedResize::down(std::span<const std::uint8_t> pixels,
                                                  std::int64_t width) const {
  if (rows_.empty()) return {pixels.begin(), pixels.end()};
  const std::size_t line = width * from_.channels;
  std::vector<std::uint8_t> out;
  out.reserve(rows_.size() * line);
  for (const Sum& row : rows_) add(out, pixels, row, line, line);
  return out;
}

ImageShape PublishedResize::resized(const ImageShape& from) const {
  ImageShape to{.height = height, .width = width, .channels = from.channels};
  if (!is_resized) return from;
  if (shortest == 0) return to;
  const bool is_upright = from.width <= from.height;
  const auto longer =
      static_cast<std::int64_t>(static_cast<double>(shortest * std::max(from.width, from.height)) /
                                static_cast<double>(std::min(from.width, from.height)));
  to.height = is_upright ? longer : shortest;
  to.width = is_upright ? shortest : longer;
  return to;
}

std::vector<std::uint8_t> cut_middle(std::span<const std::uint8_t> pixels, const ImageShape& from,
                                     const ImageShape& to) {
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return static_cast<std::size_t>((row * from.width + column) * from.channels);
  };
  const std::int64_t top = (from.height - to.height) / 2, left = (from.width - to.width) / 2;
  std::vector<std::uint8_t> out;
  for (std::int64_t row = 0; row < to.height; ++row) {
    const auto part = pixels.subspan(at(top + row, left), to.width * to.channels);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

}  // namespace headwater
