// Attention as lines between words: what asks on the left, what is looked at on the right.
#pragma once

#include <span>
#include <string>

#include "reports/attention_table.hpp"

namespace headwater {

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
