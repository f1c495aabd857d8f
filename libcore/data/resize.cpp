#include "data/resize.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headwater {
namespace {

// Where an output row or column lies between two of the input.
struct Between {
  std::size_t low = 0, high = 0;
  Real weight = 0;  // of high
};

std::vector<Between> places(std::int64_t from, std::int64_t to) {
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

template <class Value>
void resize(std::span<const Value> in, const ImageShape& from, std::int64_t height, std::int64_t width,
            std::span<Real> out) {
  const std::vector<Between> rows = places(from.height, height), columns = places(from.width, width);
  const auto channels = static_cast<std::size_t>(from.channels);
  const std::size_t line = static_cast<std::size_t>(from.width) * channels;
  std::size_t at = 0;
  for (const Between& y : rows) {
    const Value* const top = &in[y.low * line];
    const Value* const bottom = &in[y.high * line];
    for (const Between& x : columns) {
      const std::size_t left = x.low * channels, right = x.high * channels;
      for (std::size_t c = 0; c < channels; ++c) {
        const auto value = [](Value v) { return static_cast<Real>(v); };
        const Real a = value(top[left + c]), b = value(top[right + c]);
        const Real d = value(bottom[left + c]), e = value(bottom[right + c]);
        const Real above = a + (b - a) * x.weight, below = d + (e - d) * x.weight;
        out[at++] = above + (below - above) * y.weight;
      }
    }
  }
}

}  // namespace

void resize_bilinear(std::span<const std::uint8_t> in, const ImageShape& from, std::int64_t height,
                     std::int64_t width, std::span<Real> out) {
  resize(in, from, height, width, out);
}

void resize_bilinear(std::span<const Real> in, const ImageShape& from, std::int64_t height,
                     std::int64_t width, std::span<Real> out) {
  resize(in, from, height, width, out);
}

}  // namespace headwater
