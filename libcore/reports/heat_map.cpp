#include "reports/heat_map.hpp"

#include <algorithm>
#include <cmath>

#include "reports/svg.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

constexpr double kGap = 20, kTitleHeight = 24;
constexpr double kSlope = 0.77,
                 kReach = 0.65;             // sine and cosine of the angle of the column labels, 50 degrees
constexpr double kLineHeight = 0.9;         // of a label, in units of its font size
constexpr std::size_t kMaxTooltips = 6000;  // more would make the file heavy

struct Sizes {
  double cell = 0, font = 0;
  bool has_numbers = false;  // weights written into the cells
};

Sizes sizes_for(std::span<const AttentionRecord> panels) {
  std::size_t longest = 0;
  for (const AttentionRecord& panel : panels) longest = std::max({longest, panel.queries(), panel.keys()});
  if (panels.size() == 1 && longest <= 16) return {36, 13, true};
  if (longest <= 5) return {28, 12, false};
  if (longest <= 12) return {22, 12, false};
  if (longest <= 32) return {17, 11, false};
  if (longest <= 64) return {11, 9, false};
  return {7, 6.5, false};
}

class HeatMap {
 public:
  HeatMap(std::span<const AttentionRecord> panels, const HeatMapSettings& settings)
      : panels_(panels), settings_(settings), sizes_(sizes_for(panels)) {
    std::size_t cells = 0;
    float largest = 0;
    for (const AttentionRecord& panel : panels) {
      cells += panel.weights.size();
      for (const float weight : panel.weights) largest = std::max(largest, weight);
    }
    has_tooltips_ = cells <= kMaxTooltips;
    for (const double top : {0.5, 0.2, 0.1, 0.05, 0.02}) {
      if (static_cast<double>(largest) <= top) top_ = top;
    }
  }

  std::string document() {
    y_ = kSvgMargin + 14;
    grow(kSvgMargin + svg_text_width(settings_.title, 18) + kSvgMargin);
    body_ += svg_text(kSvgMargin, y_, 18, kSvgInk, "start", settings_.title, " font-weight=\"bold\"");
    y_ += 12;
    for (std::size_t begin = 0; begin < panels_.size();) {
      std::size_t end = begin + 1;
      while (end < panels_.size() && shares_section(panels_[begin], panels_[end])) ++end;
      write_section(panels_.subspan(begin, end - begin));
      begin = end;
    }
    write_legend();
    return svg_document(width_, y_ + kSvgMargin, settings_.title, body_);
  }

 private:
  static bool shares_section(const AttentionRecord& a, const AttentionRecord& b) {
    return a.example == b.example && a.kind == b.kind && a.query_tokens == b.query_tokens &&
           a.key_tokens == b.key_tokens && a.predicts == b.predicts;
  }

  void grow(double right) { width_ = std::max(width_, right); }

  // Row labels: what was put in, an arrow, what came out; in encoders the token alone. Returns nothing
  // wider than `area`.
  struct RowLabels {
    std::vector<std::string> put_in, came_out;
    double put_in_width = 0, area = 0;
  };

  RowLabels row_labels(const AttentionRecord& record) const {
    RowLabels labels{token_labels(record.query_tokens), token_labels(record.predicts), 0, 0};
    labels.put_in_width = widest_label(labels.put_in, sizes_.font);
    labels.area = labels.put_in_width + 8;
    if (!labels.came_out.empty()) labels.area += widest_label(labels.came_out, sizes_.font) + 2 * sizes_.font;
    return labels;
  }

  void write_section(std::span<const AttentionRecord> panels) {
    const AttentionRecord& first = panels.front();
    const RowLabels rows = row_labels(first);
    const std::vector<std::string> columns = token_labels(first.key_tokens);
    const double slanted = widest_label(columns, sizes_.font);
    const double panel_width = sizes_.cell * static_cast<double>(first.keys());
    const double panel_height = sizes_.cell * static_cast<double>(first.queries());
    // the last column's label leans out to the right by its own reach
    double titles = 0;
    for (const AttentionRecord& panel : panels)
      titles = std::max(titles, svg_text_width(panel_title(panel), 12));
    const double leaning = kReach * svg_text_width(columns.back(), sizes_.font) - sizes_.cell / 2 + 6;
    const double step = std::max(panel_width + std::max(kGap, leaning), titles + kGap);
    const double left = kSvgMargin + rows.area;

    y_ += 22;
    std::string heading =
        "Example " + std::to_string(first.example) + ", " + std::string(name_of(first.kind)) + " attention";
    body_ += svg_text(kSvgMargin, y_, 13, kSvgInk, "start", heading, " font-weight=\"bold\"");
    grow(kSvgMargin + svg_text_width(heading, 14) + kSvgMargin);
    const std::string note = first.predicts.empty()
                                 ? "rows: queries; columns: keys"
                                 : "rows: token put in → token that came out; columns: keys";
    y_ += 16;
    body_ += svg_text(kSvgMargin, y_, 11, kSvgFaint, "start", note);
    grow(kSvgMargin + svg_text_width(note, 11) + kSvgMargin);

    const auto fitting =
        static_cast<std::size_t>(std::max(1.0, (settings_.max_width - left - kSvgMargin) / step));
    for (std::size_t begin = 0; begin < panels.size();) {
      std::size_t end = begin + 1;
      while (end < panels.size() && panels[end].layer == panels[begin].layer) ++end;
      const std::size_t lines = (end - begin + fitting - 1) / fitting;
      const std::size_t a_line = (end - begin + lines - 1) / lines;
      for (std::size_t line_begin = begin; line_begin < end; line_begin += a_line) {
        const std::size_t line_end = std::min(end, line_begin + a_line);
        y_ += kTitleHeight;
        const double top = y_ + kSlope * slanted + 14;
        write_row_labels(rows, left, top);
        for (std::size_t p = line_begin; p < line_end; ++p) {
          const double x = left + step * static_cast<double>(p - line_begin);
          body_ += svg_text(x, y_, 12, kSvgInk, "start", panel_title(panels[p]));
          write_column_labels(first.key_tokens, columns, x, top);
          write_cells(panels[p], x, top);
          grow(x + step + kSvgMargin - kGap);
        }
        y_ = top + panel_height + 8;
      }
      begin = end;
    }
  }

  static std::string panel_title(const AttentionRecord& panel) {
    if (panel.layer < 0) return "rollout over all layers";
    return "layer " + std::to_string(panel.layer) + ", " +
           (panel.head < 0 ? "mean of heads" : "head " + std::to_string(panel.head));
  }

  void write_row_labels(const RowLabels& labels, double left, double top) {
    for (std::size_t q = 0; q < labels.put_in.size(); ++q) {
      const double y = top + sizes_.cell * (static_cast<double>(q) + 0.5) + 0.36 * sizes_.font;
      const bool is_pair = !labels.came_out.empty();
      const double in = is_pair ? kSvgMargin + labels.put_in_width : left - 8;
      body_ += svg_text(in, y, sizes_.font, is_pair ? kSvgFaint : kSvgInk, "end", labels.put_in[q]);
      if (!is_pair) continue;
      body_ += svg_text(in + sizes_.font, y, sizes_.font, kSvgFaint, "middle", "→");
      body_ += svg_text(left - 8, y, sizes_.font, kSvgInk, "end", labels.came_out[q]);
    }
  }

  void write_column_labels(const std::vector<std::string>& tokens, const std::vector<std::string>& labels,
                           double left, double top) {
    // Where lines of text would lie over each other, every second or third column has its label.
    const double apart = kSlope * sizes_.cell;  // from base line to base line
    const auto every = static_cast<std::size_t>(std::ceil(kLineHeight * sizes_.font / apart));
    for (std::size_t k = 0; k < labels.size(); k += every) {
      const std::string x = svg_number(left + sizes_.cell * (static_cast<double>(k) + 0.5) +
                                       0.25 * sizes_.font),
                        y = svg_number(top - 5);
      body_ += "<text transform=\"translate(" + x + "," + y + ") rotate(-50)\"" +
               svg_attribute("font-size", sizes_.font);
      body_.append(" fill=\"").append(kSvgInk).append("\">") += xml_text(labels[k]);
      if (labels[k] != tokens[k]) body_ += "<title>" + xml_text(tokens[k]) + "</title>";
      body_ += "</text>\n";
    }
  }

  void write_cells(const AttentionRecord& panel, double left, double top) {
    const double width = sizes_.cell * static_cast<double>(panel.keys()),
                 height = sizes_.cell * static_cast<double>(panel.queries());
    const std::string paper = hex(sequential_color(0)), size = svg_number(sizes_.cell);
    body_ += "<g transform=\"translate(" + svg_number(std::round(left)) + "," + svg_number(std::round(top)) +
             ")\" shape-rendering=\"crispEdges\">\n";
    const std::string panel_size = svg_attribute("width", width) + svg_attribute("height", height);
    body_ += "<rect" + panel_size + " fill=\"" + paper + "\"/>\n";
    for (std::size_t q = 0; q < panel.queries(); ++q) {
      for (std::size_t k = 0; k < panel.keys(); ++k) {
        const auto weight = static_cast<double>(panel.weights[q * panel.keys() + k]);
        const std::string color = hex(sequential_color(weight / top_));
        if (color == paper && !has_tooltips_) continue;
        body_ += "<rect" + svg_attribute("x", sizes_.cell * static_cast<double>(k)) +
                 svg_attribute("y", sizes_.cell * static_cast<double>(q)) + " width=\"" + size +
                 "\" height=\"" + size + "\" fill=\"" + color + "\"";
        body_ += has_tooltips_ ? "><title>" + tooltip(panel, q, k, weight) + "</title></rect>\n" : "/>\n";
        if (sizes_.has_numbers && weight >= 0.005) write_weight(q, k, weight);
      }
    }
    body_ += "<rect" + panel_size + " fill=\"none\" stroke=\"#b4bdc7\"/>\n</g>\n";
  }

  static std::string tooltip(const AttentionRecord& panel, std::size_t q, std::size_t k, double weight) {
    std::string text = with_visible_spaces(panel.query_tokens[q]);
    if (!panel.predicts.empty()) text += " → " + with_visible_spaces(panel.predicts[q]);
    return xml_text(text + " | " + with_visible_spaces(panel.key_tokens[k]) + ": " + format_fixed(weight, 4));
  }

  void write_weight(std::size_t q, std::size_t k, double weight) {
    const double x = sizes_.cell * (static_cast<double>(k) + 0.5),
                 y = sizes_.cell * (static_cast<double>(q) + 0.5) + 4;
    const std::string digits = format_fixed(weight, 2);
    body_ += svg_text(x, y, 11, is_dark(weight / top_) ? "#ffffff" : kSvgInk, "middle", digits,
                      " pointer-events=\"none\"");
  }

  void write_legend() {
    const ColorBar bar{.x = kSvgMargin, .y = y_ + 38, .most = top_};
    body_ += svg_text(kSvgMargin, y_ + 30, 11, kSvgInk, "start", "attention weight") + color_bar_svg(bar);
    y_ = bar.y + kColorBarHeight;
    grow(kSvgMargin + bar.width + 2 * kSvgMargin);
  }

  std::span<const AttentionRecord> panels_;
  HeatMapSettings settings_;
  Sizes sizes_;
  bool has_tooltips_ = false;
  double top_ = 1;  // weight of the darkest colour
  double y_ = 0, width_ = 0;
  std::string body_;
};

}  // namespace

// The weights of a layer's heads averaged: [q, k].
static std::vector<double> mean_weights(std::span<const AttentionRecord> heads) {
  const AttentionRecord& first = heads.front();
  std::vector<double> mean(first.weights.size());
  for (const AttentionRecord& head : heads) {
    check(head);
    if (head.queries() != first.queries() || head.keys() != first.keys())
      throw Error("attention: heads of one layer have different sizes");
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(head.weights[i]);
  }
  for (double& weight : mean) weight /= static_cast<double>(heads.size());
  return mean;
}

std::vector<AttentionRecord> means_over_heads(std::span<const AttentionRecord> records) {
  std::vector<AttentionRecord> means;
  for (std::size_t begin = 0; begin < records.size();) {
    std::size_t end = begin + 1;
    const auto is_same_layer = [&](const AttentionRecord& r) {
      return r.example == records[begin].example && r.kind == records[begin].kind &&
             r.layer == records[begin].layer;
    };
    while (end < records.size() && is_same_layer(records[end])) ++end;
    AttentionRecord mean = records[begin];
    const std::vector<double> weights = mean_weights(records.subspan(begin, end - begin));
    mean.weights.assign(weights.begin(), weights.end());
    mean.head = -1;
    means.push_back(std::move(mean));
    begin = end;
  }
  return means;
}

std::string heat_map_svg(std::span<const AttentionRecord> records, const HeatMapSettings& settings) {
  if (records.empty()) throw Error("heat map: no attention weights");
  for (const AttentionRecord& record : records) {
    check(record);
    if (record.weights.empty())
      throw Error("heat map: example " + std::to_string(record.example) + " has no tokens");
  }
  if (!settings.is_mean_over_heads) return HeatMap(records, settings).document();
  const std::vector<AttentionRecord> means = means_over_heads(records);
  return HeatMap(means, settings).document();
}

}  // namespace headwater
