#include "reports/reliability.hpp"

#include <algorithm>
#include <cmath>

#include "reports/svg.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

constexpr double kSide = 420, kCountHeight = 90, kLeftAxis = 46;
constexpr std::string_view kRightColor = "#0072b2", kGapColor = "#d55e00", kRule = "#b4bdc7";

std::string bar(double x, double y, double width, double height, std::string_view style,
                std::string_view words) {
  return "<rect" + svg_attribute("x", x) + svg_attribute("y", y) + svg_attribute("width", width) +
         svg_attribute("height", height) + std::string(style) + "><title>" + xml_text(words) +
         "</title></rect>\n";
}

std::string fill(std::string_view color, std::string_view opacity) {
  return " fill=\"" + std::string(color) + "\" fill-opacity=\"" + std::string(opacity) + "\"";
}

}  // namespace

std::string reliability_svg(const Calibration& calibration, std::string_view title) {
  constexpr double kLeft = kSvgMargin + kLeftAxis, kTop = kSvgMargin + 82, kBottom = kTop + kSide;
  constexpr double kCountTop = kBottom + 62, kCountBottom = kCountTop + kCountHeight;
  constexpr double kBinWidth = kSide / static_cast<double>(Calibration::kBins);
  constexpr double kInside = kLeft + kSide - kSvgMargin;
  std::string body;
  const auto words_at = [&](double x, double y, double font, std::string_view anchor,
                            const std::string& words) {
    body += svg_text(x, y, font, kSvgInk, anchor, words);
  };
  body += svg_text(kSvgMargin, kSvgMargin + 14, 18, kSvgInk, "start", svg_fitted(title, 20, kInside),
                   " font-weight=\"bold\"");
  words_at(kSvgMargin, kSvgMargin + 36, 12, "start",
           "expected calibration error " + format_fixed(calibration.expected_error(), 4) + " over " +
               format_count(calibration.samples()) + " samples");
  words_at(kSvgMargin, kSvgMargin + 53, 12, "start",
           "blue: right; orange: too confident by so much; brown: too little");
  std::int64_t most = 1;
  for (const Calibration::Bin& bin : calibration.bins()) most = std::max(most, bin.samples);
  for (std::size_t b = 0; b < Calibration::kBins; ++b) {
    const Calibration::Bin& bin = calibration.bins()[b];
    if (bin.samples == 0) continue;
    const auto samples = static_cast<double>(bin.samples);
    const double right = static_cast<double>(bin.right) / samples, confidence = bin.confidence / samples;
    const double x = kLeft + kBinWidth * static_cast<double>(b);
    const std::string words = format_count(bin.samples) + " samples, confidence " +
                              format_fixed(confidence, 4) + ", right " + format_fixed(right, 4);
    body +=
        bar(x + 1, kBottom - kSide * right, kBinWidth - 2, kSide * right, fill(kRightColor, "0.8"), words);
    body += bar(x + 1, kBottom - kSide * std::max(right, confidence), kBinWidth - 2,
                kSide * std::abs(right - confidence), fill(kGapColor, "0.55"), words);
    const double height = kCountHeight * samples / static_cast<double>(most);
    body += bar(x + 1, kCountBottom - height, kBinWidth - 2, height, fill(kSvgFaint, "0.7"), words);
  }
  const auto line = [&](double x1, double y1, double x2, double y2, std::string_view more) {
    body += "<line" + svg_attribute("x1", x1) + svg_attribute("y1", y1) + svg_attribute("x2", x2) +
            svg_attribute("y2", y2) + " stroke=\"" + std::string(kRule) + "\"" + std::string(more) + "/>\n";
  };
  line(kLeft, kBottom, kLeft + kSide, kTop, " stroke-dasharray=\"5 4\"");
  line(kLeft, kCountBottom, kLeft + kSide, kCountBottom, "");
  body += "<rect" + svg_attribute("x", kLeft) + svg_attribute("y", kTop) + svg_attribute("width", kSide) +
          svg_attribute("height", kSide) + " fill=\"none\" stroke=\"" + std::string(kRule) + "\"/>\n";
  for (int i = 0; i <= 5; ++i) {
    const double share = i / 5.0;
    body += svg_text(kLeft - 7, kBottom - kSide * share + 4, 11, kSvgFaint, "end", format_fixed(share, 1));
    body += svg_text(kLeft + kSide * share, kBottom + 16, 11, kSvgFaint, "middle", format_fixed(share, 1));
  }
  words_at(kLeft, kTop - 8, 11, "start", "share of right predictions");
  words_at(kLeft + kSide / 2, kBottom + 34, 11, "middle",
           "confidence: the probability of the predicted label");
  words_at(kLeft, kCountTop - 8, 11, "start", "samples of each bin");
  body += svg_text(kLeft - 7, kCountTop + 8, 11, kSvgFaint, "end", format_count(most));
  return svg_document(kLeft + kSide + kSvgMargin, kCountBottom + kSvgMargin, title, body);
}

}  // namespace headwater
