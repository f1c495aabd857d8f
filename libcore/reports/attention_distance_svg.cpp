#include "reports/attention_distance_svg.hpp"

#include <algorithm>
#include <map>

#include "reports/axis.hpp"
#include "reports/svg.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {
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

}  // namespace headwater
