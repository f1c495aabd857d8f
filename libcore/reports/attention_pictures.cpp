#include "reports/attention_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "data/resize.hpp"
#include "reports/svg.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

constexpr double kGridWidth = 1280, kGridHeight = 1700;  // of a page
constexpr double kPanelGap = 6, kRowLabelWidth = 56, kColumnLabelHeight = 16, kLargestPanel = 180;
constexpr double kPageHead = 34, kPageFoot = 70;

// Square, row by row.
struct Panel {
  std::size_t side = 0;
  std::vector<double> weights;
};

// Blocks of tokens become their mean, so that at most so many are left.
Panel panel_of(const AttentionRecord& record, std::size_t most) {
  const std::size_t tokens = record.queries(), block = (tokens + most - 1) / most;
  Panel panel{(tokens + block - 1) / block, {}};
  panel.weights.resize(panel.side * panel.side);
  std::vector<double> counts(panel.weights.size());
  for (std::size_t q = 0; q < tokens; ++q) {
    for (std::size_t k = 0; k < tokens; ++k) {
      const std::size_t at = q / block * panel.side + k / block;
      panel.weights[at] += static_cast<double>(record.weights[q * tokens + k]);
      ++counts[at];
    }
  }
  for (std::size_t at = 0; at < counts.size(); ++at) panel.weights[at] /= counts[at];
  return panel;
}

Picture picture_of_panel(const Panel& panel, double most) {
  const auto side = static_cast<std::int64_t>(panel.side);
  return picture_of_numbers(side, side, panel.weights, most, sequential_color);
}

void check_images(std::span<const GridImage> images) {
  if (images.empty()) throw Error("no images, so there is no picture (give one at least)");
  for (const GridImage& image : images) {
    if (image.records.empty()) throw Error("attention: the model has no layers to look into");
    for (const AttentionRecord& record : image.records) {
      check(record);
      if (record.queries() == 0 || record.queries() != record.keys())
        throw Error("attention: panels are of the tokens of an image");
    }
  }
}

std::string name_of_head(std::int64_t head) {
  return head < 0 ? "mean of heads" : "head " + std::to_string(head);
}

class AttentionGrid {
 public:
  AttentionGrid(std::span<const GridImage> images, std::string_view title) : images_(images), title_(title) {
    for (const AttentionRecord& record : images.front().records) {
      if (layers_.empty() || layers_.back() != record.layer) layers_.push_back(record.layer);
      if (layers_.size() == 1) heads_.push_back(record.head);
    }
    const auto columns = static_cast<double>(heads_.size()), rows = static_cast<double>(layers_.size());
    const double wide = (kGridWidth - 2 * kSvgMargin - kRowLabelWidth) / columns - kPanelGap;
    const double high =
        (kGridHeight - 2 * kSvgMargin - kPageHead - kCaptionHeight - kColumnLabelHeight - kPageFoot) / rows -
        kPanelGap;
    cell_ = std::clamp(std::floor(std::min(wide, high)), 8.0, kLargestPanel);
    width_ = std::max(kRowLabelWidth + columns * (cell_ + kPanelGap), 540.0);
    most_tokens_ = static_cast<std::size_t>(cell_);
    for (const GridImage& image : images) {
      for (const AttentionRecord& record : image.records) {
        const Panel panel = panel_of(record, most_tokens_);
        most_ = std::max(most_, *std::max_element(panel.weights.begin(), panel.weights.end()));
      }
    }
  }

  std::string document() {
    std::string body = svg_text(kSvgMargin, kSvgMargin + 14, 18, kSvgInk, "start",
                                svg_fitted(title_, 20, width_), " font-weight=\"bold\"");
    double y = kSvgMargin + kPageHead;
    for (const GridImage& image : images_) {
      body += svg_caption(image.caption, kSvgMargin, y, width_) + panels(image, y + kCaptionHeight);
      y += kCaptionHeight + kColumnLabelHeight + static_cast<double>(layers_.size()) * (cell_ + kPanelGap) +
           12;
    }
    body += svg_text(kSvgMargin, y + 12, 11, kSvgInk, "start",
                     "attention weight; rows: queries, columns: keys, both in the order of the patches");
    body += color_bar_svg({.x = kSvgMargin, .y = y + 20, .most = most_});
    return svg_document(width_ + 2 * kSvgMargin, y + 20 + kColorBarHeight + kSvgMargin, title_, body);
  }

 private:
  std::string panels(const GridImage& image, double top) const {
    const double font = std::min(11.0, cell_ / 4);
    const double left = kSvgMargin + kRowLabelWidth;
    std::string out;
    for (std::size_t column = 0; column < heads_.size(); ++column) {
      out += svg_text(left + (cell_ + kPanelGap) * static_cast<double>(column), top + kColumnLabelHeight - 5,
                      font, kSvgFaint, "start", name_of_head(heads_[column]));
    }
    for (std::size_t i = 0; i < image.records.size(); ++i) {
      const auto column = static_cast<double>(i % heads_.size()),
                 row = static_cast<double>(i / heads_.size());
      const double x = left + (cell_ + kPanelGap) * column;
      const double y = top + kColumnLabelHeight + (cell_ + kPanelGap) * row;
      if (i % heads_.size() == 0) {
        out += svg_text(left - 8, y + cell_ / 2 + 4, std::min(11.0, cell_ / 1.2), kSvgInk, "end",
                        "layer " + std::to_string(image.records[i].layer));
      }
      out += svg_image(picture_of_panel(panel_of(image.records[i], most_tokens_), most_), x, y, cell_, cell_);
      out += "<rect" + svg_attribute("x", x) + svg_attribute("y", y) + svg_attribute("width", cell_) +
             svg_attribute("height", cell_) + " fill=\"none\" stroke=\"#b4bdc7\" stroke-width=\"0.5\"/>\n";
    }
    return out;
  }

  std::span<const GridImage> images_;
  std::string_view title_;
  std::vector<std::int64_t> layers_, heads_;
  std::size_t most_tokens_ = 0;  // along the side of a panel
  double cell_ = 0, width_ = 0, most_ = 0;
};

}  // namespace

std::string attention_grid_svg(std::span<const GridImage> images, std::string_view title) {
  check_images(images);
  return AttentionGrid(images, title).document();
}

namespace {

constexpr double kDistancePlotWidth = 520, kDistancePlotHeight = 320, kDistanceAxisWidth = 56;
constexpr double kTitleFont = 20;  // that of a title in bold, which is wider than its 18
constexpr std::string_view kHeadColor = "#0072b2", kMeanColor = "#d55e00";

class DistancePicture {
 public:
  DistancePicture(std::span<const AttentionDistance::Row> rows, std::string_view title)
      : rows_(rows), title_(title) {
    double most = 0;
    for (const AttentionDistance::Row& row : rows) {
      last_layer_ = std::max(last_layer_, row.layer);
      most = std::max(most, row.pixels);
    }
    ticks_ = axis_ticks(0, most, 8);
  }

  std::string document() {
    body_ += svg_text(kSvgMargin, kSvgMargin + 14, 18, kSvgInk, "start",
                      svg_fitted(title_, kTitleFont, kLeft + kDistancePlotWidth - kSvgMargin),
                      " font-weight=\"bold\"");
    body_ += svg_text(kLeft, kTop - 12, 13, kSvgInk, "start", "Mean attention distance in pixels",
                      " font-weight=\"bold\"");
    grid();
    means();
    heads();
    const double bottom = kTop + kDistancePlotHeight + 44;
    body_ += svg_text(kLeft + kDistancePlotWidth / 2, kTop + kDistancePlotHeight + 36, 11, kSvgInk, "middle",
                      "layer");
    body_ += dot(kLeft + 5, bottom + 18, kHeadColor, "");
    body_ += svg_text(kLeft + 16, bottom + 22, 12, kSvgInk, "start", "a head");
    body_ += line(kLeft + 84, bottom + 18, kLeft + 110, bottom + 18, kMeanColor, 2);
    body_ += svg_text(kLeft + 118, bottom + 22, 12, kSvgInk, "start", "mean of a layer's heads");
    return svg_document(kLeft + kDistancePlotWidth + kSvgMargin, bottom + 22 + kSvgMargin, title_, body_);
  }

 private:
  static constexpr double kLeft = kSvgMargin + kDistanceAxisWidth, kTop = kSvgMargin + 56;

  // Half a layer of room at both sides, so that no dot lies on the frame.
  double x(std::int64_t layer) const {
    return kLeft +
           kDistancePlotWidth * (static_cast<double>(layer) + 0.5) / static_cast<double>(last_layer_ + 1);
  }
  double y(double pixels) const { return kTop + kDistancePlotHeight * (1 - pixels / ticks_.back()); }

  static std::string line(double x1, double y1, double x2, double y2, std::string_view color, double width) {
    return "<line" + svg_attribute("x1", x1) + svg_attribute("y1", y1) + svg_attribute("x2", x2) +
           svg_attribute("y2", y2) + " stroke=\"" + std::string(color) + "\"" +
           svg_attribute("stroke-width", width) + "/>\n";
  }
  static std::string dot(double x, double y, std::string_view color, std::string_view tooltip) {
    return "<circle" + svg_attribute("cx", x) + svg_attribute("cy", y) +
           " r=\"3.4\" fill-opacity=\"0.7\" fill=\"" + std::string(color) + "\"><title>" + xml_text(tooltip) +
           "</title></circle>\n";
  }

  void grid() {
    for (const double tick : ticks_) {
      body_ += line(kLeft, y(tick), kLeft + kDistancePlotWidth, y(tick), "#e4e8ec", 1);
      body_ += svg_text(kLeft - 7, y(tick) + 4, 11, kSvgFaint, "end", tick_text(tick, ticks_[1] - ticks_[0]));
    }
    const std::int64_t step = 1 + last_layer_ / 16;
    for (std::int64_t layer = 0; layer <= last_layer_; layer += step)
      body_ +=
          svg_text(x(layer), kTop + kDistancePlotHeight + 18, 11, kSvgFaint, "middle", std::to_string(layer));
    body_ += "<rect" + svg_attribute("x", kLeft) + svg_attribute("y", kTop) +
             svg_attribute("width", kDistancePlotWidth) + svg_attribute("height", kDistancePlotHeight) +
             " fill=\"none\" stroke=\"#b4bdc7\"/>\n";
  }

  void heads() {
    for (const AttentionDistance::Row& row : rows_) {
      body_ += dot(x(row.layer), y(row.pixels), kHeadColor,
                   "layer " + std::to_string(row.layer) + ", head " + std::to_string(row.head) + ": " +
                       format_fixed(row.pixels, 2));
    }
  }

  void means() {
    struct Mean {
      double sum = 0;
      int heads = 0;
    };
    std::map<std::int64_t, Mean> layers;
    for (const AttentionDistance::Row& row : rows_) {
      layers[row.layer].sum += row.pixels;
      ++layers[row.layer].heads;
    }
    std::string path;
    for (const auto& [layer, mean] : layers) {
      path += (path.empty() ? "M" : " L") + svg_number(x(layer)) + "," + svg_number(y(mean.sum / mean.heads));
    }
    body_ += "<path d=\"" + path + "\" fill=\"none\" stroke-width=\"2\" stroke=\"" + std::string(kMeanColor) +
             "\"/>\n";
  }

  std::span<const AttentionDistance::Row> rows_;
  std::string_view title_;
  std::int64_t last_layer_ = 0;
  std::vector<double> ticks_;
  std::string body_;
};

}  // namespace

std::string attention_distance_svg(std::span<const AttentionDistance::Row> rows, std::string_view title) {
  if (rows.empty()) throw Error("attention distance: no images");
  return DistancePicture(rows, title).document();
}

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
  std::vector<Real> heat(height * width);
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
      const Color color = heat_color(static_cast<double>(heat[y * width + x]));
      pixel[0] = blend(grey, color.red);
      pixel[1] = blend(grey, color.green);
      pixel[2] = blend(grey, color.blue);
    }
  }
  return out;
}

}  // namespace headwater
