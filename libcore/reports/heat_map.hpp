// Attention weights as a picture: one panel a head, tokens along its sides, colour for weight.
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

}  // namespace headwater
