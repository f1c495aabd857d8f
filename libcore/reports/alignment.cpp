#include "reports/alignment.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace headwater {

namespace {

std::optional<std::size_t> position_of(const std::vector<std::string>& tokens, std::string_view token) {
  const auto found = std::find(tokens.begin(), tokens.end(), token);
  if (found == tokens.end()) return std::nullopt;
  return static_cast<std::size_t>(found - tokens.begin());
}

std::size_t largest_in_row(const std::vector<double>& weights, std::size_t keys, std::size_t query) {
  const auto row = weights.begin() + static_cast<std::ptrdiff_t>(query * keys);
  return static_cast<std::size_t>(std::max_element(row, row + static_cast<std::ptrdiff_t>(keys)) - row);
}

void check_position(const AttentionRecord& record, std::size_t query) {
  if (query >= record.queries() || record.keys() == 0) {
    throw Error("alignment: row " + std::to_string(query) + " of " + std::to_string(record.queries()) +
                " x " + std::to_string(record.keys()) + " weights");
  }
}

}  // namespace

std::vector<double> mean_over_heads(std::span<const AttentionRecord> heads) {
  if (heads.empty()) throw Error("alignment: no heads");
  const AttentionRecord& first = heads.front();
  std::vector<double> mean(first.weights.size());
  for (const AttentionRecord& head : heads) {
    check(head);
    if (head.queries() != first.queries() || head.keys() != first.keys() || head.layer != first.layer ||
        head.kind != first.kind || head.example != first.example) {
      throw Error("alignment: heads of different layers, kinds or examples");
    }
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(head.weights[i]);
  }
  for (double& weight : mean) weight /= static_cast<double>(heads.size());
  return mean;
}

std::size_t most_attended_key(std::span<const AttentionRecord> heads, std::size_t query) {
  const std::vector<double> mean = mean_over_heads(heads);
  check_position(heads.front(), query);
  return largest_in_row(mean, heads.front().keys(), query);
}

std::optional<std::size_t> row_that_predicts(const AttentionRecord& record, std::string_view token) {
  return position_of(record.predicts, token);
}

std::optional<std::size_t> column_of(const AttentionRecord& record, std::string_view token) {
  return position_of(record.key_tokens, token);
}

AlignmentCount count_aligned(std::span<const AttentionRecord> heads,
                             std::span<const ExpectedAlignment> expected) {
  const std::vector<double> mean = mean_over_heads(heads);
  AlignmentCount count;
  for (const ExpectedAlignment& pair : expected) {
    check_position(heads.front(), pair.query);
    ++count.total;
    if (largest_in_row(mean, heads.front().keys(), pair.query) == pair.key) ++count.aligned;
  }
  return count;
}

}  // namespace headwater
