// Attention for images as pictures: on one page, how far heads look, and over the image itself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "families/vision/attention.hpp"
#include "reports/attention_map.hpp"
#include "reports/attention_table.hpp"
#include "reports/image_page.hpp"
#include "reports/picture.hpp"

namespace headwater {

// The attention of all layers and heads for an image on one page: a small panel each.
struct GridImage {
  std::vector<AttentionRecord> records;  // by layer, then head; head -1: the mean of a layer's
  ImageCaption caption;
};

// An SVG 1.1 document: for each image a row of panels a layer and a column a head, queries down and keys to
// the right, colour for weight. Panels shrink until an image fits a page of 1280 x 1700 pixels; where tokens
// are more than a panel has pixels, a pixel is the mean of its tokens' weights. Throws Error where there are
// no images or no records.
std::string attention_grid_svg(std::span<const GridImage> images, std::string_view title);

// How far each head looks, layer by layer. An SVG 1.1 document: a dot for each head over its layer, and a
// line through the means of the layers. Throws Error where there are no rows.
std::string attention_distance_svg(std::span<const AttentionDistance::Row> rows, std::string_view title);

// An image with the attention that its patches get laid over it as heat: `image` as the model reads it;
// `weights` [tokens], a class token's is passed over. Each pixel of the image becomes factor x factor; its
// colours become grey under the heat, which goes from the least to the largest weight, linearly between the
// centres of patches. Pixels in no patch stay grey.
Picture attention_overlay(const Picture& image, std::span<const double> weights, const PatchTokens& tokens,
                          std::int64_t patch_size, std::int64_t factor);

}  // namespace headwater
