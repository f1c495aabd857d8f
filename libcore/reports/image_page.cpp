#include "reports/image_page.hpp"

#include <algorithm>
#include <vector>

#include "reports/color_scale.hpp"
#include "reports/image_summary.hpp"
#include "reports/svg.hpp"
#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

constexpr double kTileGap = 14, kMaxPageWidth = 1280, kHeadHeight = 34;
constexpr std::string_view kWrongColor = "#d55e00";

std::string page_title(std::string_view title, double width) {
  return svg_text(kSvgMargin, kSvgMargin + 14, 18, kSvgInk, "start", svg_fitted(title, 20, width),
                  " font-weight=\"bold\"");
}

}  // namespace

std::string svg_image(const Picture& picture, double x, double y, double width, double height) {
  return "<image" + svg_attribute("x", x) + svg_attribute("y", y) + svg_attribute("width", width) +
         svg_attribute("height", height) +
         " image-rendering=\"pixelated\" preserveAspectRatio=\"none\" "
         "xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
         "xlink:href=\"data:image/png;base64," +
         to_base64(png_of(picture)) + "\"/>\n";
}

std::string contact_sheet_svg(const ImageDataset& images, std::int64_t samples, std::string_view title) {
  constexpr double kFont = 13, kMaxLabelWidth = 180;
  const Picture sheet = contact_sheet(images, samples);
  const std::vector<std::string>& labels = images.label_names();
  std::vector<std::int64_t> counts(labels.size());
  for (std::int64_t i = 0; i < images.examples(); ++i) ++counts[images.label(i)];
  double label_width = 0;
  std::vector<std::pair<std::string, std::string>> words;
  for (std::size_t label = 0; label < labels.size(); ++label) {
    words.emplace_back(svg_fitted(labels[label], kFont, kMaxLabelWidth), counted(counts[label], "image"));
    label_width = std::max({label_width, svg_text_width(words.back().first, kFont),
                            svg_text_width(words.back().second, kFont - 2)});
  }
  const double left = kSvgMargin + label_width + 12, top = kSvgMargin + kHeadHeight;
  const auto width = static_cast<double>(sheet.width), height = static_cast<double>(sheet.height);
  const double row = (height + kSheetGap) / static_cast<double>(labels.size());
  std::string body = page_title(title, left + width - kSvgMargin);
  for (std::size_t label = 0; label < words.size(); ++label) {
    const double middle = top + row * (static_cast<double>(label) + 0.5) - kSheetGap / 2.0;
    body += svg_text(left - 10, middle, kFont, kSvgInk, "end", words[label].first);
    body += svg_text(left - 10, middle + kFont, kFont - 2, kSvgFaint, "end", words[label].second);
  }
  body += svg_image(sheet, left, top, width, height);
  return svg_document(left + width + kSvgMargin, top + height + kSvgMargin, title, body);
}

std::string svg_caption(const ImageCaption& caption, double x, double y, double width) {
  constexpr double kFont = 11, kLine = 14;
  const bool is_wrong = !caption.label.empty() && caption.label != caption.predicted;
  const std::string probability = " " + format_fixed(static_cast<double>(caption.probability), 4);
  const std::string predicted =
      svg_fitted("predicted " + caption.predicted, kFont, width - svg_text_width(probability, kFont)) +
      probability;
  std::string out = svg_text(x, y + kLine, kFont, kSvgFaint, "start", svg_fitted(caption.name, kFont, width));
  out += svg_text(x, y + 2 * kLine, kFont, is_wrong ? kWrongColor : kSvgInk, "start", predicted);
  if (caption.label.empty()) return out;
  return out + svg_text(x, y + 3 * kLine, kFont, kSvgInk, "start",
                        svg_fitted("label " + caption.label, kFont, width));
}

std::string overlay_page_svg(std::span<const OverlayTile> tiles, std::string_view title) {
  if (tiles.empty()) throw Error("no images, so there is no picture (give one at least)");
  double width = 150, height = 0;
  for (const OverlayTile& tile : tiles) {
    width = std::max(width, static_cast<double>(tile.picture.width));
    height = std::max(height, static_cast<double>(tile.picture.height));
  }
  const auto fitting = static_cast<std::size_t>(
      std::max(1.0, (kMaxPageWidth - 2 * kSvgMargin + kTileGap) / (width + kTileGap)));
  const std::size_t columns = std::min(fitting, tiles.size()), rows = (tiles.size() + columns - 1) / columns;
  const double step = height + kCaptionHeight + kTileGap, top = kSvgMargin + kHeadHeight;
  const double inside = std::max(static_cast<double>(columns) * (width + kTileGap) - kTileGap, 400.0);
  std::string body = page_title(title, inside);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Picture& picture = tiles[i].picture;
    const double x = kSvgMargin + static_cast<double>(i % columns) * (width + kTileGap);
    const double y = top + static_cast<double>(i / columns) * step;
    body += svg_image(picture, x, y, static_cast<double>(picture.width), static_cast<double>(picture.height));
    body += svg_caption(tiles[i].caption, x, y + height, width);
  }
  const double legend = top + static_cast<double>(rows) * step + 8;
  body += svg_text(kSvgMargin, legend, 11, kSvgInk, "start",
                   "attention, from the least of an image (0) to its largest (1)");
  body += color_bar_svg({.x = kSvgMargin, .y = legend + 8, .scale = heat_color});
  return svg_document(kSvgMargin + inside + kSvgMargin, legend + 8 + kColorBarHeight + kSvgMargin, title,
                      body);
}

}  // namespace headwater
