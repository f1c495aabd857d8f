// Scores as rows of a table and as JSON objects.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "metrics/text_metrics.hpp"
#include "support/json.hpp"
#include "support/token_counts.hpp"

namespace headwater {

// One figure.
struct ScoreRow {
  std::string name, value;           // "BLEU", "33.26"
  std::vector<std::string> details;  // a line each
  Json json;                         // {"version": 1, "metric": "bleu", ...}
};

// Row of any other figure: `metric` also names the JSON member's metric.
ScoreRow score_row(std::string_view metric, double value, int digits, std::string_view detail = "");

// The same over examples of which `truncated` parts ("side", "line") were cut to what the model reads: said
// after the detail, and as "truncated" in JSON, where there are any.
ScoreRow score_row(std::string_view metric, double value, int digits, const std::string& detail,
                   std::string_view part, std::int64_t truncated);

// "unknown", or "unknown_COLUMN": the share of tokens that the vocabulary lacks, from 0 to 1.
ScoreRow unknown_row(const ColumnTokenCounts& column);

// Row of a metric of the registry.
ScoreRow score_row(const Metric& metric, const Score& score);

// Which scores of texts are wanted, and how they are computed.
struct TextMetrics : TextMetricSettings {
  std::vector<std::string> names;  // of text_metrics()
};
// A row for each name. Where no name needs references there may be none.
std::vector<ScoreRow> text_rows(std::span<const std::string> hypotheses,
                                std::span<const std::vector<std::string>> references,
                                const TextMetrics& metrics);
// For each name the score of every line (TextMetric::sentence_scores).
std::vector<std::vector<double>> sentence_scores(std::span<const std::string> hypotheses,
                                                 std::span<const std::vector<std::string>> references,
                                                 const TextMetrics& metrics);

// Columns metric, value, details.
std::string score_table(std::span<const ScoreRow> rows);
// That table, or a JSON object a line.
std::string scores_text(std::span<const ScoreRow> rows, bool is_json);

}  // namespace headwater
