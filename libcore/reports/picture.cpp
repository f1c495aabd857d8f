#include "reports/picture.hpp"

#include <algorithm>
#include <vector>

#include "data/image_file.hpp"
#include "reports/image_summary.hpp"
#include "reports/svg.hpp"
#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

Picture picture_of(const ImageShape& shape, std::span<const std::uint8_t> pixels) {
  Picture picture{.height = shape.height, .width = shape.width, .pixels = {}};
  const std::size_t channels = shape.channels;
  picture.pixels.reserve(pixels.size() / channels * 3);
  for (std::size_t at = 0; at + channels <= pixels.size(); at += channels) {
    for (std::size_t c = 0; c < 3; ++c) picture.pixels.push_back(pixels[at + (channels >= 3 ? c : 0)]);
  }
  return picture;
}

Picture cropped(const Picture& picture, std::int64_t height, std::int64_t width) {
  Picture part{.height = height, .width = width, .pixels = {}};
  for (std::int64_t row = 0; row < height; ++row) {
    const auto begin = picture.pixels.begin() + 3 * row * picture.width;
    part.pixels.insert(part.pixels.end(), begin, begin + 3 * width);
  }
  return part;
}

Picture picture_of_numbers(std::int64_t height, std::int64_t width, std::span<const double> numbers,
                           double most, Color (*scale)(double)) {
  check_picture_size(height, width);
  Picture picture{.height = height, .width = width, .pixels = {}};
  picture.pixels.reserve(numbers.size() * 3);
  for (const double number : numbers) {
    const Color color = scale(most > 0 ? number / most : 0);
    picture.pixels.insert(picture.pixels.end(), {color.red, color.green, color.blue});
  }
  return picture;
}

Picture magnified(const Picture& picture, std::int64_t factor) {
  Picture out{.height = picture.height * factor, .width = picture.width * factor, .pixels = {}};
  out.pixels.reserve(out.height * out.width * 3);
  for (std::int64_t y = 0; y < out.height; ++y) {
    for (std::int64_t x = 0; x < out.width; ++x) {
      const auto at = picture.pixels.begin() + (y / factor * picture.width + x / factor) * 3;
      out.pixels.insert(out.pixels.end(), at, at + 3);
    }
  }
  return out;
}

std::int64_t magnification(std::int64_t height, std::int64_t width) {
  const std::int64_t side = std::max(height, width);
  return std::max<std::int64_t>(1, (144 + side / 2) / side);
}

void check_picture_size(std::int64_t height, std::int64_t width) {
  constexpr std::int64_t kMaxPixels = std::int64_t{1} << 27;
  if (height <= kMaxPictureSide && width <= kMaxPictureSide && height * width <= kMaxPixels) return;
  throw Error("a picture of " + std::to_string(height) + "x" + std::to_string(width) +
              " pixels: height and width are at most " + std::to_string(kMaxPictureSide) +
              ", their product " + std::to_string(kMaxPixels) + " (show fewer images)");
}

static Picture white(std::int64_t height, std::int64_t width) {
  check_picture_size(height, width);
  return {.height = height, .width = width, .pixels = std::vector<std::uint8_t>(height * width * 3, 255)};
}

static void put(const Picture& picture, std::int64_t top, std::int64_t left, Picture& out) {
  for (std::int64_t y = 0; y < picture.height; ++y) {
    const auto line = picture.pixels.begin() + y * picture.width * 3;
    std::copy(line, line + picture.width * 3, out.pixels.begin() + ((top + y) * out.width + left) * 3);
  }
}

Picture sheet(std::span<const Picture> pictures, std::int64_t columns, std::int64_t gap) {
  if (pictures.empty()) throw Error("picture: no images");
  Picture largest;
  for (const Picture& picture : pictures) {
    largest.height = std::max(largest.height, picture.height);
    largest.width = std::max(largest.width, picture.width);
  }
  const auto count = static_cast<std::int64_t>(pictures.size());
  columns = std::min(columns, count);
  const std::int64_t rows = (count + columns - 1) / columns;
  Picture out = white(rows * (largest.height + gap) - gap, columns * (largest.width + gap) - gap);
  for (std::int64_t i = 0; i < count; ++i) {
    put(pictures[i], i / columns * (largest.height + gap), i % columns * (largest.width + gap), out);
  }
  return out;
}

Picture beside(const Picture& left, const Picture& right, std::int64_t gap) {
  Picture out = white(std::max(left.height, right.height), left.width + gap + right.width);
  put(left, 0, 0, out);
  put(right, 0, left.width + gap, out);
  return out;
}

std::string png_of(const Picture& picture) {
  return encode_png({.height = picture.height, .width = picture.width, .channels = 3}, picture.pixels);
}

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
