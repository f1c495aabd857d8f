// Pictures made of pixels: images beside and below each other on white. And pages of them with words: contact
// sheets with their labels, overlays with what was predicted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/image_dataset.hpp"
#include "data/image_shape.hpp"
#include "reports/svg.hpp"

namespace headwater {

// Red, green and blue, row by row.
struct Picture {
  std::int64_t height = 0, width = 0;
  std::vector<std::uint8_t> pixels;  // [height, width, 3]
};

// Shows an image: grey becomes three equal channels; of more than three the first three are shown, of two the
// first.
Picture picture_of(const ImageShape& shape, std::span<const std::uint8_t> pixels);
// The part of so many rows and columns, which it has, from the top left.
Picture cropped(const Picture& picture, std::int64_t height, std::int64_t width);

// A pixel a number, row by row, in the colour of its share of `most`; all in that of 0 where `most` is 0.
Picture picture_of_numbers(std::int64_t height, std::int64_t width, std::span<const double> numbers,
                           double most, Color (*scale)(double));

// Each pixel becomes a square of factor x factor.
Picture magnified(const Picture& picture, std::int64_t factor);
// The factor with which a picture's longer side comes nearest to 144 pixels; at least 1.
std::int64_t magnification(std::int64_t height, std::int64_t width);

// Throws Error where a picture would have a side beyond kMaxPictureSide, or too many pixels.
void check_picture_size(std::int64_t height, std::int64_t width);

// Row by row, so many in a row, `gap` white pixels between them; what is smaller than the largest lies at its
// place's upper left. Throws Error where there are none, or the whole is too large.
Picture sheet(std::span<const Picture> pictures, std::int64_t columns, std::int64_t gap);
// Two, their upper edges at one height.
Picture beside(const Picture& left, const Picture& right, std::int64_t gap);

std::string png_of(const Picture& picture);

// <image> of SVG 1.1: the picture inside the document at (x, y), as wide and high as it has pixels there.
std::string svg_image(const Picture& picture, double x, double y, double width, double height);

// contact_sheet with the label of each row before it, and how many images have it. Throws what that throws.
std::string contact_sheet_svg(const ImageDataset& images, std::int64_t samples, std::string_view title);

// What stands below an image that a model gave a label.
struct ImageCaption {
  std::string name, predicted;
  float probability = 0;
  std::string label = {};  // the right one; empty: nobody knows
};
// Lines of text from (x, y) down, none wider than `width`; a wrong label is told by its colour.
std::string svg_caption(const ImageCaption& caption, double x, double y, double width);
inline constexpr double kCaptionHeight = 46;

struct OverlayTile {
  Picture picture;  // the image, and its overlay beside it
  ImageCaption caption;
};
// The tiles in rows, and the colour bar of attention_overlay. Throws Error where there are none.
std::string overlay_page_svg(std::span<const OverlayTile> tiles, std::string_view title);

}  // namespace headwater
