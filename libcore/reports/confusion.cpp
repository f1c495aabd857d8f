#include "reports/confusion.hpp"

#include <algorithm>
#include <cmath>

#include "reports/color_bar.hpp"
#include "reports/color_scale.hpp"
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
      body_ += "><title>" + xml_text(labels[static_cast<std::size_t>(label)]) + " → " +
               xml_text(labels[static_cast<std::size_t>(prediction)]) + ": " + format_count(count) + " of " +
               format_count(support) + "</title></rect>\n";
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
    text = csv_field(report.labels[static_cast<std::size_t>(label)]);
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

}  // namespace headwater
