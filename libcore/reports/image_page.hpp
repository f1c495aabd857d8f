// Pages of images with words beside them: contact sheets with their labels, overlays with what was predicted.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "data/image_dataset.hpp"
#include "reports/picture.hpp"

namespace headwater {

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
