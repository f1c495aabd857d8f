
#include <algorithm>
#include <cmath>
#include <vector>

#include "reports/heat_map.hpp"
#include "reports/svg.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

constexpr double kWordFont = 12, kWordHeight = 17, kLinesWidth = 150, kWordGap = 6, kLinesPanelGap = 36;
constexpr double kLegendStep = 74;
using Records = std::span<const AttentionRecord>;

std::string color_of_head(std::int64_t head) {
  return std::string(series_color(static_cast<std::size_t>(std::max<std::int64_t>(head, 0))));
}

std::size_t end_of_run(Records records, std::size_t begin, const auto& is_same) {
  std::size_t end = begin + 1;
  while (end < records.size() && is_same(records[begin], records[end])) ++end;
  return end;
}

class AttentionLines {
 public:
  AttentionLines(Records records, const AttentionLinesSettings& settings)
      : records_(records), settings_(settings) {
    for (const AttentionRecord& record : records) {
      if (std::ranges::find(heads_, record.head) == heads_.end()) heads_.push_back(record.head);
    }
  }

  std::string document() {
    y_ = kSvgMargin + 14;
    body_ = svg_text(kSvgMargin, y_, 18, kSvgInk, "start", settings_.title, " font-weight=\"bold\"");
    grow(kSvgMargin + svg_text_width(settings_.title, 20));
    y_ += 12;
    const auto is_same_text = [](const AttentionRecord& a, const AttentionRecord& b) {
      return a.example == b.example && a.kind == b.kind && a.query_tokens == b.query_tokens &&
             a.key_tokens == b.key_tokens;
    };
    for (std::size_t begin = 0; begin < records_.size();) {
      const std::size_t end = end_of_run(records_, begin, is_same_text);
      add_text(records_.subspan(begin, end - begin));
      begin = end;
    }
    add_legend();
    return svg_document(width_ + kSvgMargin, y_ + kSvgMargin, settings_.title, body_);
  }

 private:
  void grow(double right) { width_ = std::max(width_, right); }

  // All layers of one example and kind.
  void add_text(Records records) {
    const AttentionRecord& first = records.front();
    std::vector<std::string> queries = token_labels(first.query_tokens);
    const std::vector<std::string> keys = token_labels(first.key_tokens), out = token_labels(first.predicts);
    for (std::size_t q = 0; q < out.size(); ++q) queries[q] += " → " + out[q];
    y_ += 22;
    const std::string heading =
        "Example " + std::to_string(first.example) + ", " + std::string(name_of(first.kind)) + " attention";
    body_ += svg_text(kSvgMargin, y_, 13, kSvgInk, "start", heading, " font-weight=\"bold\"");
    y_ += 16;
    const std::string note = out.empty()
                                 ? "left: what asks; right: what it looks at"
                                 : "left: token put in → token that came out; right: what it looks at";
    body_ += svg_text(kSvgMargin, y_, 11, kSvgFaint, "start", note);
    grow(kSvgMargin + svg_text_width(note, 11));
    const double left_width = widest_label(queries, kWordFont) + kWordGap,
                 width = left_width + kLinesWidth + kWordGap + widest_label(keys, kWordFont),
                 height = kWordHeight * static_cast<double>(std::max(queries.size(), keys.size()));
    double x = kSvgMargin;
    y_ += 20;
    const auto is_same_layer = [](const AttentionRecord& a, const AttentionRecord& b) {
      return a.layer == b.layer;
    };
    for (std::size_t begin = 0; begin < records.size();) {
      const std::size_t end = end_of_run(records, begin, is_same_layer);
      if (x > kSvgMargin && x + width > settings_.max_width - kSvgMargin) {
        x = kSvgMargin;
        y_ += height + 46;
      }
      add_panel(records.subspan(begin, end - begin), queries, keys, x, left_width);
      grow(x + width);
      x += width + kLinesPanelGap;
      begin = end;
    }
    y_ += height + 18;
  }

  void add_panel(Records heads, const std::vector<std::string>& queries, const std::vector<std::string>& keys,
                 double x, double left_width) {
    const AttentionRecord& first = heads.front();
    std::string title = "layer " + std::to_string(first.layer);
    if (first.head < 0) title += ", mean of heads";
    if (heads.size() == 1 && first.head >= 0) title += ", head " + std::to_string(first.head);
    body_ += svg_text(x, y_, 12, kSvgInk, "start", title);
    const double top = y_ + 8, begin = x + left_width, end = begin + kLinesWidth;
    const auto middle = [&](std::size_t row) { return top + kWordHeight * (static_cast<double>(row) + 0.5); };
    for (std::size_t i = 0; i < heads.size(); ++i) {
      // Lines of several heads between the same words lie beside each other.
      const double aside = 1.2 * (static_cast<double>(i) - static_cast<double>(heads.size() - 1) / 2);
      body_ += "<g stroke=\"" + color_of_head(heads[i].head) + "\" stroke-width=\"1.6\">\n";
      for (std::size_t q = 0; q < queries.size(); ++q) {
        for (std::size_t k = 0; k < keys.size(); ++k) {
          const auto weight = static_cast<double>(heads[i].weights[q * keys.size() + k]);
          if (weight < settings_.min_weight) continue;
          body_ += "<line" + svg_attribute("x1", begin) + svg_attribute("y1", middle(q) + aside) +
                   svg_attribute("x2", end) + svg_attribute("y2", middle(k) + aside) + " stroke-opacity=\"" +
                   format_fixed(std::min(weight, 1.0), 2) + "\"/>\n";
        }
      }
      body_ += "</g>\n";
    }
    for (std::size_t q = 0; q < queries.size(); ++q)
      body_ += svg_text(begin - kWordGap, middle(q) + 4, kWordFont, kSvgInk, "end", queries[q]);
    for (std::size_t k = 0; k < keys.size(); ++k)
      body_ += svg_text(end + kWordGap, middle(k) + 4, kWordFont, kSvgInk, "start", keys[k]);
  }

  void add_legend() {
    const std::string note =
        "a line is as strong as its weight; below " + format_number(settings_.min_weight) + " there is none";
    y_ += 18;
    body_ += svg_text(kSvgMargin, y_, 11, kSvgFaint, "start", note);
    grow(kSvgMargin + svg_text_width(note, 11));
    if (heads_.size() == 1) return;
    double x = kSvgMargin;
    y_ += 18;
    for (const std::int64_t head : heads_) {
      if (x > kSvgMargin && x + kLegendStep > width_) {
        x = kSvgMargin;
        y_ += 16;
      }
      body_ += "<rect" + svg_attribute("x", x) + svg_attribute("y", y_ - 8) +
               " width=\"14\" height=\"8\" fill=\"" + color_of_head(head) + "\"/>\n" +
               svg_text(x + 19, y_, 11, kSvgInk, "start", "head " + std::to_string(head));
      x += kLegendStep;
    }
  }

  Records records_;
  const AttentionLinesSettings& settings_;
  std::vector<std::int64_t> heads_;
  double y_ = 0, width_ = 0;
  std::string body_;
};

}  // namespace

std::string attention_lines_svg(Records records, const AttentionLinesSettings& settings) {
  if (records.empty()) throw Error("attention: no weights to draw");
  for (const AttentionRecord& record : records) {
    check(record);
    if (record.weights.empty())
      throw Error("attention: example " + std::to_string(record.example) + " has no tokens");
  }
  if (!settings.is_mean_over_heads) return AttentionLines(records, settings).document();
  const std::vector<AttentionRecord> means = means_over_heads(records);
  return AttentionLines(means, settings).document();
}

}  // namespace headwater
