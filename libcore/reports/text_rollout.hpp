// Attention rollout between the tokens of a text.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "families/attention_trace.hpp"

namespace headwater {

// Attention rollout (Abnar and Zuidema 2020, sec. 3): of each layer the mean over its heads plus the
// identity, rows divided by their sums, and the product of all layers, the last one on the left. A record for
// each kind, of layer and head -1: how much of each token that was read is in what became of each token; rows
// sum to 1. Cross attention is left out, whose layers do not follow each other, and so is padding that only
// asks. Memory: 16 bytes a weight of the result, however many heads and layers there are.
class TextRollout {
 public:
  // Hands all rows of a head to what it is given, some at a time, in order.
  using EachRows = std::function<void(const AttentionHeads::UseRows&)>;
  // The heads of one text come by kind and layer; `head` needs no weights.
  void add(AttentionRecord head, const EachRows& for_each_rows);
  std::vector<AttentionRecord> finish();

 private:
  void end_layer();
  void end_kind();

  AttentionRecord last_;        // head added
  std::size_t heads_ = 0;       // of the layer
  std::vector<double> sum_;     // of these heads: [n, n], of tokens that are keys
  std::vector<double> rolled_;  // the product of the layers before: [n, n]; empty before the first
  std::vector<AttentionRecord> all_;
};

}  // namespace headwater
