#include "reports/attention_grid.hpp"

#include <algorithm>
#include <cmath>

#include "reports/color_bar.hpp"
#include "reports/svg.hpp"
#include "support/error.hpp"

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

}  // namespace headwater
