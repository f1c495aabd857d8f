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

// Attention rollout (Abnar and Zuidema 2020, sec. 3): of each layer the mean over its heads plus the
// identity, rows divided by their sums, and the product of all layers, the last one on the left. A record for
// each kind, of layer and head -1: how much of each token that was read is in what became of each token; rows
// sum to 1. Cross attention is left out, whose layers do not follow each other, and so is padding that only
// asks. The records are all those of one text, by kind and layer.
std::vector<AttentionRecord> text_rollout(std::span<const AttentionRecord> records);

}  // namespace headwater
