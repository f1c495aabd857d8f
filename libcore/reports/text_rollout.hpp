// Attention rollout between the tokens of a text.
#pragma once

#include <span>
#include <vector>

#include "families/attention_trace.hpp"

namespace headwater {

// Attention rollout (Abnar and Zuidema 2020, sec. 3): of each layer the mean over its heads plus the
// identity, rows divided by their sums, and the product of all layers, the last one on the left. A record for
// each kind, of layer and head -1: how much of each token that was read is in what became of each token; rows
// sum to 1. Cross attention is left out, whose layers do not follow each other, and so is padding that only
// asks. The records are all those of one text, by kind and layer.
std::vector<AttentionRecord> text_rollout(std::span<const AttentionRecord> records);

}  // namespace headwater
