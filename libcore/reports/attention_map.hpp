// Where a vision Transformer looks: the attention of all its layers brought onto the grid of patches, how far
// it reaches, and pictures of both (attention_pictures.cpp). And the attention of all layers between the
// tokens of a text.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "families/attention_trace.hpp"
#include "families/vision/attention.hpp"
#include "reports/attention_table.hpp"
#include "reports/picture.hpp"

namespace headwater {

// Attention rollout (Abnar and Zuidema 2020, sec. 3): of each layer the mean over its heads plus the
// identity, rows divided by their sums, and the product of all layers. Returned is the row of what the output
// layer reads: of the class token, or without one the mean of all rows. [tokens], sums to 1. The records are
// all of one image, by layer; throws Error where they are none, or not of these tokens.
std::vector<double> attention_rollout(std::span<const AttentionRecord> records, const PatchTokens& tokens);

// The row of the class token, or without one the mean of all rows, in the mean of the records. [tokens], sums
// to 1. Throws like attention_rollout.
std::vector<double> attention_of_output(std::span<const AttentionRecord> records, const PatchTokens& tokens);

// "example,image,predicts,probability,row,column,weight\n": what an image's rollout is as CSV, a line for
// each token; row and column of a class token are empty.
std::string_view rollout_csv_header();
struct RolloutRow {
  std::int64_t example = 0;
  std::string_view image, predicts;  // name, the label that the model gives it
  float probability = 0;             // of the label
};
void append_rollout_csv(std::string& out, const RolloutRow& row, std::span<const double> rollout,
                        const PatchTokens& tokens);

// How far a row of weights looks: the mean of apart(k) by the weights. Keys that are at no place, where it is
// not-a-number, are left out before the rest is divided by its sum; nothing where there is no rest.
template <class Apart>
std::optional<double> distance_of_row(std::span<const float> weights, const Apart& apart) {
  double distance = 0, whole = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double far = apart(k);
    if (std::isnan(far)) continue;
    distance += static_cast<double>(weights[k]) * far;
    whole += static_cast<double>(weights[k]);
  }
  if (whole == 0) return std::nullopt;
  return distance / whole;
}

// [tokens, tokens]: how many pixels the centres of two patches are apart; not-a-number of a class token,
// which is at no place.
std::vector<double> patch_distances(const PatchTokens& tokens, std::int64_t patch_size);

// How far a head looks: the distance in pixels between the centres of the asking patch and the patch that is
// looked at, weighted by attention, in the mean over the asking patches and the images (Dosovitskiy et al.
// 2021, appendix D.7). A class token is at no place: it asks nothing here, and the weights of patches on it
// are left out before the rest is divided by its sum.
class AttentionDistance {
 public:
  // Pixels are those of the image that the model reads.
  AttentionDistance(const PatchTokens& tokens, std::int64_t patch_size);

  // Maps of one image. Throws Error where the records are not of these tokens.
  void add(std::span<const AttentionRecord> records);

  struct Row {
    std::int64_t layer = 0, head = 0;
    double pixels = 0;
  };
  std::vector<Row> rows() const;  // by layer, then head
  std::int64_t images() const { return images_; }

 private:
  struct Sum {
    std::int64_t layer = 0, head = 0;
    double pixels = 0;
    std::int64_t queries = 0;
  };
  PatchTokens tokens_;
  std::vector<double> distances_;  // of patch_distances()
  std::vector<Sum> sums_;
  std::int64_t images_ = 0;
};

// "layer,head,pixels\n" and a line for each head.
std::string attention_distance_csv(std::span<const AttentionDistance::Row> rows);

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

// Attention rollout (Abnar and Zuidema 2020, sec. 3): of each layer the mean over its heads plus the
// identity, rows divided by their sums, and the product of all layers, the last one on the left. A record for
// each kind, of layer and head -1: how much of each token that was read is in what became of each token; rows
// sum to 1. Cross attention is left out, whose layers do not follow each other, and so is padding that only
// asks. Memory: 16 bytes a weight of the result, however many heads and layers there are.
class TextRollout {
 public:
  // Hands all rows of a head to what it is given, some at a time, in order.
  using EachRows = std::function<void(const AttentionHeads::UseRows&)>;
  // The heads of one text come by kind and layer; `head` needs no weights.
  void add(AttentionRecord head, const EachRows& for_each_rows);
  std::vector<AttentionRecord> finish();

 private:
  void end_layer();
  void end_kind();

  AttentionRecord last_;        // head added
  std::size_t heads_ = 0;       // of the layer
  std::vector<double> sum_;     // of these heads: [n, n], of tokens that are keys
  std::vector<double> rolled_;  // the product of the layers before: [n, n]; empty before the first
  std::vector<AttentionRecord> all_;
};

}  // namespace headwater
