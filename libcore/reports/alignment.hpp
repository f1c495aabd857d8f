// Does attention look where a word came from? Counts for translations whose alignment is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reports/attention_table.hpp"

namespace headwater {

// The weights of a layer's heads averaged: [q, k]. The records are the heads of one layer for one example, of
// equal size; throws Error otherwise.
std::vector<double> mean_over_heads(std::span<const AttentionRecord> heads);

// The key with the largest mean weight in row `query` (of equal ones the first).
std::size_t most_attended_key(std::span<const AttentionRecord> heads, std::size_t query);

// First row that predicts `token`, first column of `token`.
std::optional<std::size_t> row_that_predicts(const AttentionRecord& record, std::string_view token);
std::optional<std::size_t> column_of(const AttentionRecord& record, std::string_view token);

// The row `query` should look at `key` above all.
struct ExpectedAlignment {
  std::size_t query = 0, key = 0;
};

struct AlignmentCount {
  std::int64_t aligned = 0, total = 0;
  double share() const { return total == 0 ? 0 : static_cast<double>(aligned) / static_cast<double>(total); }
  void add(const AlignmentCount& other) {
    aligned += other.aligned;
    total += other.total;
  }
};

AlignmentCount count_aligned(std::span<const AttentionRecord> heads,
                             std::span<const ExpectedAlignment> expected);

}  // namespace headwater
