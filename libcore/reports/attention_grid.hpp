// The attention of all layers and heads for an image on one page: a small panel each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/attention_table.hpp"
#include "reports/image_page.hpp"

namespace headwater {

struct GridImage {
  std::vector<AttentionRecord> records;  // by layer, then head; head -1: the mean of a layer's
  ImageCaption caption;
};

// An SVG 1.1 document: for each image a row of panels a layer and a column a head, queries down and keys to
// the right, colour for weight. Panels shrink until an image fits a page of 1280 x 1700 pixels; where tokens
// are more than a panel has pixels, a pixel is the mean of its tokens' weights. Throws Error where there are
// no images or no records.
std::string attention_grid_svg(std::span<const GridImage> images, std::string_view title);

}  // namespace headwater
