// Attention weights as a picture: panels with tokens along their sides and colour for weight, or lines
// between words, from what asks on the left to what is looked at on the right (attention_lines.cpp).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "families/attention_trace.hpp"
#include "reports/attention_table.hpp"

namespace headwater {

struct HeatMapSettings {
  std::string title = "Attention";
  bool is_mean_over_heads = false;  // one panel a layer
  double max_width = 1280;          // pixels; panels wrap below it
};

// The heads of each layer as one record, their mean, whose head is -1. Throws Error where heads of a layer
// have different sizes.
std::vector<AttentionRecord> means_over_heads(std::span<const AttentionRecord> records);

// An SVG 1.1 document. Records of one example and kind, one after the other, share a section; each layer
// begins a new line of panels. Throws Error where there are no records or a record is empty.
std::string heat_map_svg(std::span<const AttentionRecord> records, const HeatMapSettings& settings = {});

struct AttentionLinesSettings {
  std::string title = "Attention";
  bool is_mean_over_heads = false;  // else each head has a colour
  double min_weight = 0.1;          // of a line that is drawn
  double max_width = 1280;          // pixels; panels wrap below it
};

// An SVG 1.1 document: a panel for each layer of an example and kind, with all its heads; a line is as opaque
// as its weight. Throws Error where there are no records or a record is empty.
std::string attention_lines_svg(std::span<const AttentionRecord> records,
                                const AttentionLinesSettings& settings = {});

}  // namespace headwater
