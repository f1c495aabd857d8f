#include "reports/text_rollout.hpp"

#include <algorithm>

#include "reports/attention_table.hpp"
#include "reports/heat_map.hpp"

namespace headwater {
namespace {

// (mean + identity) / 2 times `rolled`; all are [n, n], of `mean` the first n rows.
std::vector<double> next_layer(const std::vector<float>& mean, const std::vector<double>& rolled,
                               std::size_t n) {
  std::vector<double> next(n * n);
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t k = 0; k < n; ++k) {
      const double share = (static_cast<double>(mean[q * n + k]) + (q == k ? 1 : 0)) / 2;
      if (share == 0) continue;  // half of them where attention is causal
      for (std::size_t i = 0; i < n; ++i) next[q * n + i] += share * rolled[k * n + i];
    }
  }
  return next;
}

}  // namespace

std::vector<AttentionRecord> text_rollout(std::span<const AttentionRecord> records) {
  std::vector<AttentionRecord> all;
  const std::vector<AttentionRecord> layers = means_over_heads(records);
  for (std::size_t begin = 0; begin < layers.size();) {
    std::size_t end = begin + 1;
    while (end < layers.size() && layers[end].kind == layers[begin].kind) ++end;
    if (layers[begin].kind != AttentionKind::cross) {
      AttentionRecord record = layers[begin];
      const std::size_t n = record.keys();
      std::vector<double> rolled(n * n);
      for (std::size_t i = 0; i < n; ++i) rolled[i * n + i] = 1;
      for (std::size_t layer = begin; layer < end; ++layer)
        rolled = next_layer(layers[layer].weights, rolled, n);
      record.layer = record.head = -1;
      record.query_tokens.resize(n);
      if (!record.predicts.empty()) record.predicts.resize(n);
      record.weights.assign(rolled.begin(), rolled.end());
      all.push_back(std::move(record));
    }
    begin = end;
  }
  return all;
}

}  // namespace headwater
