#include "reports/picture.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "data/image_file.hpp"
#include "error_text.hpp"
#include "reports/attention_map.hpp"
#include "reports/svg.hpp"

using namespace headwater;

namespace {

Picture plain(std::int64_t height, std::int64_t width, std::uint8_t value) {
  return {.height = height, .width = width, .pixels = std::vector<std::uint8_t>(height * width * 3, value)};
}

std::vector<int> pixel(const Picture& picture, std::int64_t y, std::int64_t x) {
  const std::uint8_t* const at = picture.pixels.data() + (y * picture.width + x) * 3;
  return {at[0], at[1], at[2]};
}

}  // namespace

TEST_CASE("pictures of images with one, two, three and four channels") {
  const std::vector<std::uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  using Bytes = std::vector<std::uint8_t>;
  CHECK(picture_of({1, 2, 1}, std::span(bytes).first(2)).pixels == Bytes{1, 1, 1, 2, 2, 2});
  CHECK(picture_of({1, 2, 2}, std::span(bytes).first(4)).pixels == Bytes{1, 1, 1, 3, 3, 3});
  CHECK(picture_of({1, 2, 3}, std::span(bytes).first(6)).pixels == Bytes{1, 2, 3, 4, 5, 6});
  CHECK(picture_of({1, 2, 4}, std::span(bytes).first(8)).pixels == Bytes{1, 2, 3, 5, 6, 7});
}

TEST_CASE("a magnified picture has squares for pixels") {
  const Picture large = magnified(picture_of({2, 2, 1}, std::vector<std::uint8_t>{10, 20, 30, 40}), 3);
  CHECK(large.height == 6);
  CHECK(large.width == 6);
  for (std::int64_t y = 0; y < 6; ++y)
    for (std::int64_t x = 0; x < 6; ++x) CHECK(pixel(large, y, x)[0] == 10 * (1 + x / 3 + 2 * (y / 3)));
  CHECK(magnification(28, 28) == 5);
  CHECK(magnification(72, 40) == 2);
  CHECK(magnification(500, 2) == 1);
  CHECK(magnification(1, 2) == 72);
}

TEST_CASE("a sheet has its pictures row by row on white") {
  const std::vector<Picture> pictures = {plain(2, 3, 10), plain(1, 3, 20), plain(2, 2, 30)};
  const Picture made = sheet(pictures, 2, 1);
  CHECK(made.height == 5);
  CHECK(made.width == 7);
  CHECK(pixel(made, 1, 2)[0] == 10);
  CHECK(pixel(made, 1, 3)[0] == 255);
  CHECK(pixel(made, 0, 4)[0] == 20);
  CHECK(pixel(made, 1, 4)[0] == 255);
  CHECK(pixel(made, 2, 0)[0] == 255);
  CHECK(pixel(made, 4, 1)[0] == 30);
  CHECK(pixel(made, 4, 2)[0] == 255);
  CHECK(sheet(pictures, 9, 0).width == 9);
  const Picture both = beside(pictures[0], made, 2);
  CHECK(both.height == 5);
  CHECK(both.width == 12);
  CHECK(pixel(both, 1, 2)[0] == 10);
  CHECK(pixel(both, 2, 2)[0] == 255);
  CHECK(pixel(both, 0, 4)[0] == 255);
  CHECK(pixel(both, 0, 5)[0] == 10);
  CHECK(pixel(both, 4, 5)[0] == 30);
  const DecodedImage image = decode_image(png_of(made), "it");
  CHECK(image.pixels == made.pixels);
  CHECK(error_text([] { sheet({}, 1, 1); }) == "picture: no images");
  const std::vector<Picture> wide = {plain(1, 20000, 0), plain(1, 20000, 0)};
  CHECK(
      error_text([&] { sheet(wide, 2, 1); }) ==
      "a picture of 1x40001 pixels: height and width are at most 32768, their product 134217728 (show fewer "
      "images)");
}

TEST_CASE("an overlay is warmest where the weight is largest, and grey where there is no patch") {
  // Two patches of 2x2 pixels; the third column of three is in none.
  const PatchTokens tokens{.rows = 2, .columns = 1, .has_class_token = true};
  Picture image = plain(4, 3, 100);
  image.pixels[6] = 255;  // red at the upper right
  const std::vector<double> weights = {0.9, 0.02, 0.08};
  const Picture overlay = attention_overlay(image, weights, tokens, 2, 2);
  CHECK(overlay.height == 8);
  CHECK(overlay.width == 6);
  const auto blended = [](std::uint8_t color) {
    return static_cast<int>(std::lround(0.4 * 100 + 0.6 * color));
  };
  const Color cold = heat_color(0), hot = heat_color(1);
  CHECK(pixel(overlay, 0, 0) == std::vector<int>{blended(cold.red), blended(cold.green), blended(cold.blue)});
  CHECK(pixel(overlay, 7, 3) == std::vector<int>{blended(hot.red), blended(hot.green), blended(hot.blue)});
  CHECK(pixel(overlay, 7, 4) == std::vector<int>{100, 100, 100});
  CHECK(pixel(overlay, 0, 5) == std::vector<int>{146, 146, 146});  // 0.299 · 255 + 0.701 · 100
  for (std::int64_t y = 1; y < 8; ++y) CHECK(pixel(overlay, y, 0)[0] >= pixel(overlay, y - 1, 0)[0]);
  // Weights that are all alike say nothing: no division by their range.
  const Picture even = attention_overlay(image, std::vector<double>{0, 0.5, 0.5}, tokens, 2, 1);
  CHECK(pixel(even, 0, 0) == pixel(overlay, 0, 0));
  CHECK(error_text([&] { attention_overlay(image, std::vector<double>{1}, tokens, 2, 1); }) ==
        "attention: not a weight for each token");
}
