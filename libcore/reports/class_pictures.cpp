#include "reports/classification_report.hpp"

#include <algorithm>
#include <cmath>

#include "reports/svg.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

constexpr std::size_t kNumberedClasses = 20;   // whose cells hold their counts
constexpr std::size_t kLabelledClasses = 160;  // whose labels can be read
constexpr std::size_t kMaxConfusionTooltips = 6000;
constexpr double kLabelColumnsWidth = 150;

class ConfusionPicture {
 public:
  ConfusionPicture(const ClassificationReport& report, std::string_view title)
      : report_(report), title_(title), classes_(report.labels.size()) {
    cell_ = classes_ <= kNumberedClasses ? 40 : classes_ <= 60 ? 16 : classes_ <= kLabelledClasses ? 9 : 3;
    font_ = classes_ <= kNumberedClasses ? 12 : classes_ <= 60 ? 11 : 8;
    for (const std::string& label : report.labels)
      label_width_ =
          std::max(label_width_, svg_text_width(svg_fitted(label, font_, kLabelColumnsWidth), font_));
    if (classes_ > kLabelledClasses) label_width_ = 0;
    left_ = kSvgMargin + 18 + label_width_ + 8;
    side_ = cell_ * static_cast<double>(classes_);
  }

  std::string document() {
    const std::int64_t samples = report_.confusion.counts().samples();
    const double right = std::max({left_ + side_ + kSlant * label_width_, 480.0});
    const std::string words = "accuracy " + format_fixed(report_.confusion.counts().accuracy(), 4) +
                              " over " + counted(samples, "sample") + " of " +
                              format_count(static_cast<std::int64_t>(classes_)) + " classes";
    const double inside = right - kSvgMargin;
    body_ += svg_text(kSvgMargin, kSvgMargin + 14, 18, kSvgInk, "start", svg_fitted(title_, 20, inside),
                      " font-weight=\"bold\"");
    body_ += svg_text(kSvgMargin, kSvgMargin + 36, 12, kSvgInk, "start", words);
    body_ += svg_text(left_, kSvgMargin + 60, 12, kSvgFaint, "start", "predicted");
    top_ = kSvgMargin + 72 + kSlant * label_width_;
    body_ += "<text transform=\"translate(" + svg_number(kSvgMargin + 10) + "," + svg_number(top_) +
             ") rotate(-90)\" text-anchor=\"end\" font-size=\"12\" fill=\"" + std::string(kSvgFaint) +
             "\">label</text>\n";
    if (classes_ <= kLabelledClasses) write_labels();
    write_cells();
    const double legend = std::max(top_ + side_, top_ + 30) + 30;
    write_legend(legend);
    return svg_document(right + kSvgMargin, legend + 34 + kSvgMargin, title_, body_);
  }

 private:
  static constexpr double kSlant = 0.71;  // sine and cosine of 45 degrees

  void write_labels() {
    for (std::size_t c = 0; c < classes_; ++c) {
      const std::string shown = svg_fitted(report_.labels[c], font_, kLabelColumnsWidth);
      const double middle = cell_ * (static_cast<double>(c) + 0.5);
      body_ += svg_text(left_ - 6, top_ + middle + 0.36 * font_, font_, kSvgInk, "end", shown);
      body_ += "<text transform=\"translate(" + svg_number(left_ + middle + 0.3 * font_) + "," +
               svg_number(top_ - 5) + ") rotate(-45)\"" + svg_attribute("font-size", font_) + " fill=\"" +
               std::string(kSvgInk) + "\">" + xml_text(shown) + "</text>\n";
    }
  }

  void write_cells() {
    const std::vector<ConfusionMatrix::Cell> cells = report_.confusion.cells();
    body_ += "<g transform=\"translate(" + svg_number(std::round(left_)) + "," +
             svg_number(std::round(top_)) + ")\" shape-rendering=\"crispEdges\">\n<rect" +
             svg_attribute("width", side_) + svg_attribute("height", side_) + " fill=\"" +
             hex(sequential_color(0)) + "\" stroke=\"#c3cad2\"/>\n";
    for (const ConfusionMatrix::Cell& cell : cells)
      write_cell(cell.label, cell.prediction, cells.size() <= kMaxConfusionTooltips);
    body_ += "</g>\n";
  }

  void write_cell(std::int32_t label, std::int32_t prediction, bool has_tooltip) {
    const std::int64_t count = report_.confusion.count(label, prediction);
    const std::int64_t support = report_.confusion.counts().scores(label).support;
    const double share = static_cast<double>(count) / static_cast<double>(support);
    const double x = cell_ * prediction, y = cell_ * label;
    body_ += "<rect" + svg_attribute("x", x) + svg_attribute("y", y) + svg_attribute("width", cell_) +
             svg_attribute("height", cell_) + " fill=\"" + hex(sequential_color(share)) + "\"";
    if (has_tooltip) {
      const auto& labels = report_.labels;
      body_ += "><title>" + xml_text(labels[label]) + " → " + xml_text(labels[prediction]) + ": " +
               format_count(count) + " of " + format_count(support) + "</title></rect>\n";
    } else {
      body_ += "/>\n";
    }
    if (classes_ > kNumberedClasses) return;
    const std::string number = format_count(count);
    const double font = std::min(12.0, 12.0 * cell_ / std::max(cell_, svg_text_width(number, 12) + 4));
    body_ += svg_text(x + cell_ / 2, y + cell_ / 2 + 0.36 * font, font, is_dark(share) ? "#ffffff" : kSvgInk,
                      "middle", number, " pointer-events=\"none\"");
  }

  void write_legend(double y) {
    body_ += svg_text(kSvgMargin, y, 11, kSvgInk, "start", "share of the label's samples");
    body_ += color_bar_svg({.x = kSvgMargin, .y = y + 8});
  }

  const ClassificationReport& report_;
  std::string_view title_;
  std::size_t classes_;
  double cell_ = 0, font_ = 0, label_width_ = 0, left_ = 0, top_ = 0, side_ = 0;
  std::string body_;
};

}  // namespace

void write_confusion_csv(const ClassificationReport& report,
                         const std::function<void(std::string_view)>& take) {
  std::string text;
  for (const std::string& label : report.labels) text += "," + csv_field(label);
  take(text + "\n");
  report.confusion.for_each_row([&](std::int32_t label, std::span<const std::int64_t> counts) {
    text = csv_field(report.labels[label]);
    for (const std::int64_t count : counts) text += "," + std::to_string(count);
    take(text + "\n");
  });
}

std::string confusion_svg(const ClassificationReport& report, std::string_view title) {
  if (report.labels.size() > kMaxConfusionClasses) {
    throw Error("a confusion matrix of " + format_count(static_cast<std::int64_t>(report.labels.size())) +
                " classes, a picture shows at most " + std::to_string(kMaxConfusionClasses) +
                " (name a file that ends in .csv)");
  }
  return ConfusionPicture(report, title).document();
}

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
