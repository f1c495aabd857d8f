#include "reports/head_patterns.hpp"

#include <algorithm>
#include <vector>

#include "reports/picture.hpp"
#include "reports/svg.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

constexpr double kHeadPanel = 72, kHeadGap = 10, kPatternHeight = 15, kLayerNameWidth = 72,
                 kHeadNameHeight = 18;
constexpr double kGridTitleFont = 18, kGridFont = 11, kGridFoot = 92;

std::string shown_pattern(const HeadRow& row) {
  std::string name(row.pattern);
  std::ranges::replace(name, '_', ' ');
  return name;
}

// What a pointer that rests on a panel shows.
std::string numbers_of(const HeadRow& row) {
  std::string text = std::string(name_of(row.kind)) + " layer " + std::to_string(row.layer) + ", head " +
                     std::to_string(row.head);
  if (!row.pattern.empty()) text += ": " + shown_pattern(row) + ", " + format_fixed(row.score.mean, 2);
  for (std::size_t i = 0; i < kHeadShares; ++i) {
    if (!row.shares[i]) continue;
    std::string name(name_of(static_cast<HeadShare>(i)));
    std::ranges::replace(name, '_', ' ');
    text += "; " + name + " " + format_fixed(row.shares[i]->mean, 3);
  }
  return text + "; entropy " + format_fixed(row.entropy.mean, 2) + ", distance " +
         format_fixed(row.distance.mean, 1);
}

class HeadGrid {
 public:
  HeadGrid(std::span<const HeadRow> rows, std::string_view title, std::string_view shown)
      : rows_(rows), title_(title), shown_(shown) {
    for (const HeadRow& row : rows) {
      if (std::ranges::find(heads_, row.head) == heads_.end()) heads_.push_back(row.head);
      for (const double weight : row.corner) most_ = std::max(most_, weight);
    }
    std::ranges::sort(heads_);
    width_ = std::max(kLayerNameWidth + static_cast<double>(heads_.size()) * (kHeadPanel + kHeadGap), 520.0);
  }

  std::string document() {
    body_ = svg_text(kSvgMargin, kSvgMargin + 14, kGridTitleFont, kSvgInk, "start",
                     svg_fitted(title_, kGridTitleFont + 2, width_), " font-weight=\"bold\"");
    y_ = kSvgMargin + 34;
    for (std::size_t begin = 0; begin < rows_.size();) {
      std::size_t end = begin + 1;
      while (end < rows_.size() && rows_[end].kind == rows_[begin].kind) ++end;
      add_kind(rows_.subspan(begin, end - begin));
      begin = end;
    }
    body_ += svg_text(kSvgMargin, y_ + 12, kGridFont, kSvgFaint, "start",
                      "mean weight; rows ask, columns are looked at: " + std::string(shown_));
    body_ += svg_text(kSvgMargin, y_ + 28, kGridFont, kSvgFaint, "start",
                      "below a head its pattern (next: the next token); none: no pattern was found");
    body_ += color_bar_svg({.x = kSvgMargin, .y = y_ + 38, .most = most_});
    return svg_document(width_ + 2 * kSvgMargin, y_ + kGridFoot, title_, body_);
  }

 private:
  double left_of(std::int64_t head) const {
    const auto column = std::ranges::find(heads_, head) - heads_.begin();
    return kSvgMargin + kLayerNameWidth + static_cast<double>(column) * (kHeadPanel + kHeadGap);
  }

  void add_kind(std::span<const HeadRow> rows) {
    body_ += svg_text(kSvgMargin, y_ + 13, 13, kSvgInk, "start", name_of(rows.front().kind),
                      " font-weight=\"bold\"");
    for (const std::int64_t head : heads_) {
      body_ += svg_text(left_of(head) + kHeadPanel / 2, y_ + 13, kGridFont, kSvgFaint, "middle",
                        "head " + std::to_string(head));
    }
    y_ += kHeadNameHeight;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i > 0 && rows[i].layer != rows[i - 1].layer) y_ += kHeadPanel + kPatternHeight + kHeadGap;
      if (i == 0 || rows[i].layer != rows[i - 1].layer) {
        body_ += svg_text(kSvgMargin + kLayerNameWidth - 8, y_ + kHeadPanel / 2 + 4, kGridFont, kSvgFaint,
                          "end", "layer " + std::to_string(rows[i].layer));
      }
      add_panel(rows[i]);
    }
    y_ += kHeadPanel + kPatternHeight + 2 * kHeadGap;
  }

  void add_panel(const HeadRow& row) {
    const double x = left_of(row.head);
    const Picture picture =
        picture_of_numbers(static_cast<std::int64_t>(row.rows), static_cast<std::int64_t>(row.columns),
                           row.corner, most_, sequential_color);
    body_ += "<g><title>" + xml_text(numbers_of(row)) + "</title>\n";
    if (!row.corner.empty()) body_ += svg_image(picture, x, y_, kHeadPanel, kHeadPanel);
    if (row.kind != AttentionKind::cross && row.rows == row.columns)  // each token and itself
      body_ += "<line" + svg_attribute("x1", x) + svg_attribute("y1", y_) +
               svg_attribute("x2", x + kHeadPanel) + svg_attribute("y2", y_ + kHeadPanel) +
               " stroke=\"#b4bdc7\" stroke-width=\"0.5\"/>\n";
    body_ += "<rect" + svg_attribute("x", x) + svg_attribute("y", y_) + svg_attribute("width", kHeadPanel) +
             svg_attribute("height", kHeadPanel) +
             " fill=\"none\" stroke=\"#b4bdc7\" stroke-width=\"0.5\"/>\n</g>\n";
    if (row.pattern.empty()) return;
    body_ += svg_text(x + kHeadPanel / 2, y_ + kHeadPanel + 12, kGridFont - 1, kSvgInk, "middle",
                      shown_pattern(row));
  }

  std::span<const HeadRow> rows_;
  std::string_view title_, shown_;
  std::vector<std::int64_t> heads_;
  double width_ = 0, y_ = 0, most_ = 0;
  std::string body_;
};

}  // namespace

std::string head_grid_svg(std::span<const HeadRow> rows, std::string_view title, std::string_view shown) {
  if (rows.empty()) throw Error("attention: the model has no heads to look at");
  return HeadGrid(rows, title, shown).document();
}

}  // namespace headwater
