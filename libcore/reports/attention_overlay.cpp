#include "reports/attention_overlay.hpp"

#include <algorithm>
#include <cmath>

#include "data/resize.hpp"
#include "reports/color_scale.hpp"
#include "support/error.hpp"

namespace headwater {
namespace {

constexpr double kHeatShare = 0.6;  // of the colour of the heat; the rest is the image's grey

// As ITU-R BT.601 weighs it.
double brightness(const std::uint8_t* pixel) {
  return 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
}

std::uint8_t blend(double grey, std::uint8_t color) {
  return static_cast<std::uint8_t>(std::lround((1 - kHeatShare) * grey + kHeatShare * color));
}

}  // namespace

Picture attention_overlay(const Picture& image, std::span<const double> weights, const PatchTokens& tokens,
                          std::int64_t patch_size, std::int64_t factor) {
  if (weights.size() != tokens.count()) throw Error("attention: not a weight for each token");
  const std::span<const double> patches = weights.subspan(tokens.first_patch());
  const auto [least, largest] = std::minmax_element(patches.begin(), patches.end());
  const double range = *largest > *least ? *largest - *least : 1;
  std::vector<Real> shares;
  for (const double weight : patches) shares.push_back(static_cast<Real>((weight - *least) / range));
  const ImageShape grid{.height = static_cast<std::int64_t>(tokens.rows),
                        .width = static_cast<std::int64_t>(tokens.columns),
                        .channels = 1};
  const std::int64_t side = patch_size * factor, height = grid.height * side, width = grid.width * side;
  std::vector<Real> heat(static_cast<std::size_t>(height * width));
  BilinearResize(grid, height, width)(std::span<const Real>(shares), heat);
  Picture out = magnified(image, factor);
  for (std::int64_t y = 0; y < out.height; ++y) {
    for (std::int64_t x = 0; x < out.width; ++x) {
      std::uint8_t* const pixel = out.pixels.data() + (y * out.width + x) * 3;
      const double grey = brightness(pixel);
      if (y >= height || x >= width) {
        std::fill(pixel, pixel + 3, static_cast<std::uint8_t>(std::lround(grey)));
        continue;
      }
      const Color color = heat_color(static_cast<double>(heat[static_cast<std::size_t>(y * width + x)]));
      pixel[0] = blend(grey, color.red);
      pixel[1] = blend(grey, color.green);
      pixel[2] = blend(grey, color.blue);
    }
  }
  return out;
}

}  // namespace headwater
